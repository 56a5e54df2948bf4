package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.server.cursor.ClientCursor;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/** {@code killCursors}: ends cursors whose results nobody wants any more. */
public final class KillCursorsCommand implements Command {
  private static final Spec SPEC =
      Spec.of("killCursors", Access.READ, Trait.PARSED_FIRST, Trait.STABLE_API, Trait.TRANSACTION);

  private final CursorRegistry cursors;

  public KillCursorsCommand(DataServices services) {
    this.cursors = services.cursors();
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    var namespace = new Namespace(context.database(), body.collection());
    List<RawValue> ids = body.requireArray("cursors");
    body.finish();
    context.enterTransaction();
    for (int i = 0; i < ids.size(); i++) {
      if (ids.get(i).type() != RawTypes.INT64) {
        throw FieldErrors.wrongType("killCursors.cursors." + i, ids.get(i).type(), "long");
      }
    }
    // All are looked at before the first is killed, as in MongoDB.
    List<Long> own =
        ids.stream().map(RawValue::asInt64).filter(id -> isThere(id, namespace)).toList();
    own.forEach(id -> requireMayKill(context, id, namespace));
    var killed = new BsonArray();
    var notFound = new BsonArray();
    for (RawValue id : ids) {
      boolean isKilled = own.contains(id.asInt64()) && cursors.kill(id.asInt64());
      var list = isKilled ? killed : notFound;
      list.add(new BsonInt64(id.asInt64()));
    }
    return new BsonDocument("cursorsKilled", killed)
        .append("cursorsNotFound", notFound)
        .append("cursorsAlive", new BsonArray())
        .append("cursorsUnknown", new BsonArray());
  }

  /** A cursor of another collection is none that is meant here. */
  private boolean isThere(long id, Namespace namespace) {
    ClientCursor cursor = cursors.find(id);
    return cursor != null && cursor.owner().namespace().equals(namespace);
  }

  private void requireMayKill(CommandContext context, long id, Namespace namespace) {
    ClientCursor cursor = cursors.find(id);
    boolean mayKill =
        cursor == null
            || Cursors.isOwn(context, cursor)
            || context.allows(Action.KILL_ANY_CURSOR, Resource.CLUSTER)
            || context.allows(
                Action.KILL_ANY_CURSOR,
                Resource.collection(namespace.database(), namespace.collection()));
    if (!mayKill) {
      throw new CommandException(
          ErrorCode.UNAUTHORIZED, "not authorized to kill cursor on " + namespace);
    }
  }
}
