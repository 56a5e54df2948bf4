/** The servers that are measured, each a process of its own. */
package dev.orrery.benchmarks.servers;
