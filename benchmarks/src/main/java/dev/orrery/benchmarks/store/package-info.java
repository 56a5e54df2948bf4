/** The embedded engine alone, side by side with other stores of the same kind. */
package dev.orrery.benchmarks.store;
