package dev.orrery.server.command;

import dev.orrery.server.throughput.Metering;

/** What the commands about partitions and throughput are made of. */
public record CosmosServices(Databases databases, Metering metering) {}
