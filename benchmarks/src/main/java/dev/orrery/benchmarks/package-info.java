/** JMH and the side-by-side load harness. */
package dev.orrery.benchmarks;
