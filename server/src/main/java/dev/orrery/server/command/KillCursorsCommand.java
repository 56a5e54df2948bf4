package dev.orrery.server.command;

import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/** {@code killCursors}: ends cursors whose results nobody wants any more. */
public final class KillCursorsCommand implements Command {
  private static final Spec SPEC = Spec.of("killCursors", Access.READ, Trait.STABLE_API);

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
    body.collection("killCursors");
    List<RawValue> ids = body.requireArray("cursors");
    body.finish();
    for (int i = 0; i < ids.size(); i++) {
      if (ids.get(i).type() != RawTypes.INT64) {
        throw FieldErrors.wrongType("killCursors.cursors." + i, ids.get(i).type(), "long");
      }
    }
    var killed = new BsonArray();
    var notFound = new BsonArray();
    for (RawValue id : ids) {
      var list = cursors.kill(id.asInt64()) ? killed : notFound;
      list.add(new BsonInt64(id.asInt64()));
    }
    return new BsonDocument("cursorsKilled", killed)
        .append("cursorsNotFound", notFound)
        .append("cursorsAlive", new BsonArray())
        .append("cursorsUnknown", new BsonArray());
  }
}
