/** The commands of Cosmos DB, partitions and request units, and what it refuses. */
package dev.orrery.server.command.cosmos;
