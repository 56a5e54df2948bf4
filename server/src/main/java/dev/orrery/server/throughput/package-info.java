/** Request units: what work costs, and how much of it a partition may do in a second. */
package dev.orrery.server.throughput;
