/** How much searches of places and of words read of their indexes, and what that saves. */
package dev.orrery.benchmarks.search;
