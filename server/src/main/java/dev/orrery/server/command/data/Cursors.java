package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.cursor.ClientCursor;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Objects;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** What the commands that answer with a cursor have in common. */
public final class Cursors {
  private Cursors() {}

  /** The reply {@code {cursor: {firstBatch: [...], id, ns}}}; id 0 says that this was all. */
  static BsonDocument first(List<RawDocument> batch, long id, Namespace namespace) {
    return reply("firstBatch", batch, id, namespace);
  }

  static BsonDocument next(List<RawDocument> batch, long id, Namespace namespace) {
    return reply("nextBatch", batch, id, namespace);
  }

  /** The same of a cursor that follows changes, with the place behind the batch. */
  static BsonDocument of(
      String name, List<RawDocument> batch, ClientCursor cursor, long id, Namespace namespace) {
    RawDocument last = batch.isEmpty() ? null : batch.get(batch.size() - 1);
    BsonDocument place = cursor.following().placeAfter(last, cursor.isDrained());
    List<RawDocument> page = cursor.following().page(batch, place);
    BsonDocument plain = reply(name, page, id, namespace).getDocument("cursor");
    var ordered = new BsonDocument(name, plain.get(name)).append("postBatchResumeToken", place);
    if (id == 0) {
      ordered.append("invalidated", BsonBoolean.TRUE);
    }
    ordered.putAll(plain);
    return new BsonDocument("cursor", ordered);
  }

  private static BsonDocument reply(
      String name, List<RawDocument> batch, long id, Namespace namespace) {
    var documents = new BsonArray(batch.size());
    for (RawDocument document : batch) {
      documents.add(document.asRawBson());
    }
    return new BsonDocument(
        "cursor",
        new BsonDocument(name, documents)
            .append("id", new BsonInt64(id))
            .append("ns", new BsonString(namespace.toString())));
  }

  public static ClientCursor.Owner owner(
      CommandContext context, Namespace namespace, boolean hasNoTimeout) {
    return new ClientCursor.Owner(
        namespace,
        context.sessionFields().session(),
        context.connection().login().identity(),
        hasNoTimeout,
        context.transaction() == null ? null : context.transaction().number(),
        context.transaction() == null && context.readConcern().isSnapshot());
  }

  /** Whether the cursor was opened by whoever calls now; without users it was. */
  static boolean isOwn(CommandContext context, ClientCursor cursor) {
    return !context.isGuarded()
        || Objects.equals(cursor.owner().user(), context.connection().login().identity());
  }

  /** Keeps a cursor for getMore, with what is left of the time of whoever opened it. */
  public static long keep(CommandContext context, CursorRegistry cursors, ClientCursor cursor) {
    cursor.leave(context.operation().remainingNanos());
    cursor.openedBy(context.connection().clientKey(), context.connection()::isOpen);
    context.operation().leave(cursor.execution().memory());
    cursor.keepAlso(context.uncountedBytes());
    long id = cursors.add(cursor);
    if (context.transaction() != null) {
      context.transaction().onEnd(() -> cursors.kill(id));
    }
    context.onFailure(() -> cursors.kill(id)); // nobody would know of it
    return id;
  }

  /** An error that came up while documents were read, in the words MongoDB puts before it. */
  static CommandException during(String what, CommandException error) {
    if (error.code().endsTransaction()) {
      return error;
    }
    return new CommandException(
        error.code(), what + " :: caused by :: " + error.getMessage(), error.details());
  }
}
