/** Workloads: requests as they came and what they cost, recorded into a file and read again. */
package dev.orrery.server.workload;
