/** What the servers are asked to do: a class for each workload, and the bench that runs them. */
package dev.orrery.benchmarks.workload;
