package dev.orrery.server.command.cosmos;

import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.ledger.Ledgers;
import dev.orrery.server.throughput.Metering;

/** What the commands about partitions and throughput are made of. */
public record CosmosServices(Databases databases, Metering metering, Ledgers ledgers) {}
