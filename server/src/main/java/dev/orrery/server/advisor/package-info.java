/**
 * Says before a partition key is chosen how good it would be: reads documents and a workload once,
 * in memory of a fixed size, and needs neither a socket nor a store.
 */
package dev.orrery.server.advisor;
