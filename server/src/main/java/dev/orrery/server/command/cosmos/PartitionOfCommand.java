package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * {@code partitionOf}: where documents with a value of the partition key live, or one document
 * would.
 */
final class PartitionOfCommand implements Command {
  private final Databases databases;

  PartitionOfCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("partitionOf", Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.collection();
    RawValue key = body.value("key");
    RawDocument document = body.rawDocument("document");
    body.finish();
    if (key != null && document != null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "partitionOf takes a key or a document, not both");
    }
    CollectionStore collection = Partitions.require(databases, context.database(), name);
    RawValue value =
        document == null ? key : collection.partitionKeyOf(Databases.withKey(collection, document));
    boolean isPartitioned = collection.info().partitionKey() != null;
    PartitionStore partition = collection.partitionOf(value);
    PartitionStatistics statistics = collection.statisticsOf(isPartitioned ? value : null);
    var reply = new BsonDocument();
    if (isPartitioned) {
      reply.append("epk", new BsonString(EffectivePartitionKey.of(value).toString()));
    }
    return reply
        .append("partition", new BsonInt32(partition.id()))
        .append("minInclusive", new BsonString(partition.range().minInclusive()))
        .append("maxExclusive", new BsonString(partition.range().maxExclusive()))
        .append("documents", new BsonInt64(statistics.documents()))
        .append("bytes", new BsonInt64(statistics.bytes()));
  }
}
