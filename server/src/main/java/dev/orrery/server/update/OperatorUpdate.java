package dev.orrery.server.update;

import dev.orrery.storage.value.RawDocument;
import java.util.ArrayList;
import org.bson.BsonDocument;

/** An update by operators: {@code {$set: {a: 1}, $inc: {b: 2}}}. */
final class OperatorUpdate extends Update {
  private final UpdateNode root;
  private final boolean isPositional;

  OperatorUpdate(UpdateNode root, boolean isPositional) {
    this.root = root;
    this.isPositional = isPositional;
  }

  @Override
  public boolean isPositional() {
    return isPositional;
  }

  @Override
  public Result apply(RawDocument before, int arrayIndex, UpdateClock clock) {
    var document = before.toBsonDocument();
    var edit = new Edit(document, arrayIndex, clock, false);
    if (!root.apply(edit, new ArrayList<>())) {
      return new Result(before, false);
    }
    return new Result(DocumentRules.encoded(document), true);
  }

  @Override
  BsonDocument inserted(BsonDocument start, UpdateClock clock) {
    root.apply(new Edit(start, NO_ARRAY_INDEX, clock, true), new ArrayList<>());
    return start;
  }
}
