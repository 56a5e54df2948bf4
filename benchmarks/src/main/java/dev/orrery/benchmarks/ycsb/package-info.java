/** The keys that YCSB's workloads ask for, and how often. */
package dev.orrery.benchmarks.ycsb;
