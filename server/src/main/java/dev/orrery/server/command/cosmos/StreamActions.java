package dev.orrery.server.command.cosmos;

import dev.orrery.language.aggregate.stage.KeyRange;
import dev.orrery.language.aggregate.stage.ResumeToken;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.stream.CosmosShape;
import dev.orrery.storage.CollectionIdentity;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.partition.EpkRange;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** The custom action on change streams: a token for each physical partition. */
final class StreamActions {
  private final Databases databases;

  StreamActions(Databases databases) {
    this.databases = databases;
  }

  BsonDocument tokens(CommandContext context, CommandReader body) {
    String name = body.requireString("collection");
    RawValue start = body.value("startAtOperationTime");
    body.finish();
    if (start != null && start.type() != RawTypes.TIMESTAMP) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH, "'startAtOperationTime' must be a timestamp");
    }
    CollectionStore collection = Partitions.require(databases, context.database(), name);
    long after =
        start == null
            ? databases.engine().changes().newest()
            : start.toBsonValue().asTimestamp().getValue() - 1;
    var shape =
        new CosmosShape(databases.provisioning().rules(), CollectionIdentity.of(collection.info()));
    var tokens = new BsonArray();
    for (PartitionMap.Entry entry : collection.info().partitions().entries()) {
      EpkRange range = entry.range();
      var keys = new KeyRange(range.minInclusive(), range.maxExclusive());
      tokens.add(shape.token(ResumeToken.upTo(after).within(keys)));
    }
    return new BsonDocument("_t", new BsonString("GetChangeStreamTokensResponse"))
        .append("resumeAfterTokens", tokens);
  }
}
