package dev.orrery.server.command.schema;

import dev.orrery.language.limit.SpillArea;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.data.Cursors;
import dev.orrery.server.cursor.ClientCursor;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.Iterator;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** Cursors over lists that a command has made, such as those of collections and indexes. */
final class Listings {
  private final CursorRegistry cursors;

  Listings(CursorRegistry cursors) {
    this.cursors = cursors;
  }

  /** The {@code cursor.batchSize} of the command; without one everything fits. */
  static long batchSize(CommandReader body) {
    CommandReader cursor = body.object("cursor");
    if (cursor == null) {
      return Long.MAX_VALUE;
    }
    long size = cursor.nonNegative("batchSize", Long.MAX_VALUE);
    cursor.finish();
    return size;
  }

  /** The first batch; what does not fit stays for getMore. */
  BsonDocument reply(
      CommandContext context, Namespace namespace, List<BsonDocument> documents, long batchSize) {
    List<RawDocument> encoded = documents.stream().map(RawDocument::of).toList();
    var owner = Cursors.owner(context, namespace, false);
    var execution = new Execution(SpillArea.NONE, false);
    var cursor = new ClientCursor(owner, new ListCursor(encoded.iterator()), execution);
    var batch = new BsonArray();
    cursor
        .nextBatch(batchSize, context.operation().replyMemory())
        .forEach(document -> batch.add(document.asRawBson()));
    long id = batch.size() == documents.size() ? 0 : Cursors.keep(context, cursors, cursor);
    return new BsonDocument(
        "cursor",
        new BsonDocument("id", new BsonInt64(id))
            .append("ns", new BsonString(namespace.toString()))
            .append("firstBatch", batch));
  }

  private record ListCursor(Iterator<RawDocument> documents) implements DocumentCursor {
    @Override
    public @Nullable PlanResult next() {
      return documents.hasNext() ? new PlanResult(documents.next(), null, -1) : null;
    }

    @Override
    public void close() {}
  }
}
