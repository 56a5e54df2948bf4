package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.throughput.AccountLimits;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.server.throughput.ThroughputRules;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** The custom actions on a database: it may have throughput that its collections share. */
final class DatabaseActions {
  private final Databases databases;
  private final PartitionedCollections collections;

  DatabaseActions(Databases databases, PartitionedCollections collections) {
    this.databases = databases;
    this.collections = collections;
  }

  BsonDocument create(CommandContext context, CommandReader body) {
    Throughput asked = Offer.parse(body);
    body.finish();
    String name = context.database();
    if (exists(name)) {
      throw new CommandException(
          ErrorCode.NAMESPACE_EXISTS, "Database '" + name + "' already exists.");
    }
    account().requireOffers(asked);
    if (asked.isProvisioned()) {
      ThroughputRules.require(asked, Throughput.NONE, ThroughputRules.Subject.empty(false));
    }
    databases.requireNewName(name);
    databases.requireRoom(Throughput.NONE, asked);
    context.awaitDurable(databases.throughputs().put(name, asked));
    return new BsonDocument();
  }

  BsonDocument update(CommandContext context, CommandReader body) {
    Throughput asked = Offer.parse(body);
    body.finish();
    String name = context.database();
    requireExists(name);
    Offer.requireGiven(asked);
    account().requireOffers(asked);
    account().admitOfferChange();
    Throughput present = databases.throughputs().of(name);
    if (!present.isProvisioned()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Database '%s' has no shared throughput, and cannot be given any later".formatted(name));
    }
    List<CollectionStore> sharing = sharing(name);
    ThroughputRules.require(
        asked, present, new ThroughputRules.Subject(false, bytes(sharing), sharing.size()));
    databases.requireRoom(present, asked);
    for (CollectionStore collection : sharing) {
      collections.growTo(collection, asked, context.operation());
    }
    context.awaitDurable(databases.throughputs().put(name, present.replacedBy(asked)));
    return new BsonDocument();
  }

  BsonDocument describe(CommandContext context, CommandReader body) {
    body.finish();
    String name = context.database();
    requireExists(name);
    var reply = new BsonDocument("database", new BsonString(name));
    Throughput offer = databases.throughputs().of(name);
    Offer.append(reply, offer, offer.floor());
    return reply;
  }

  private AccountLimits account() {
    return databases.provisioning().rules().account();
  }

  private boolean exists(String name) {
    return databases.names().contains(name);
  }

  private void requireExists(String name) {
    if (!exists(name)) {
      throw new CommandException(
          ErrorCode.NAMESPACE_NOT_FOUND, "Database '" + name + "' doesn't exist.");
    }
  }

  private List<CollectionStore> sharing(String name) {
    return databases.in(name).stream()
        .filter(one -> !one.info().isView() && one.info().throughput().isEmpty())
        .toList();
  }

  static long bytes(List<CollectionStore> all) {
    long bytes = 0;
    for (CollectionStore collection : all) {
      for (PartitionStore partition : collection.partitions()) {
        bytes += partition.statistics().bytes();
      }
    }
    return bytes;
  }
}
