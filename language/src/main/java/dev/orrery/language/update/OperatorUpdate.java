package dev.orrery.language.update;

import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.DecodedSize;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Set;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** An update by operators: {@code {$set: {a: 1}, $inc: {b: 2}}}. */
final class OperatorUpdate extends Update {
  private final UpdateNode root;
  private final boolean isPositional;

  /** The fields at the top that it names; null when others may matter too. */
  private final TouchedFields.Name @Nullable [] names;

  OperatorUpdate(FieldNode root, boolean isPositional) {
    this.root = root;
    this.isPositional = isPositional;
    Set<String> all = root.names();
    this.names = all == null ? null : TouchedFields.names(all);
  }

  @Override
  public boolean isPositional() {
    return isPositional;
  }

  @Override
  public Result apply(RawDocument before, int arrayIndex, UpdateClock clock) {
    TouchedFields touched = names == null ? null : TouchedFields.find(before, names);
    if (touched == null) {
      return applyToWhole(before, arrayIndex, clock);
    }
    var edit = new Edit(touched.fields(), arrayIndex, clock, false);
    if (!root.apply(edit, new ArrayList<>())) {
      return new Result(before, false);
    }
    RawDocument after = touched.merged();
    return after == null
        ? applyToWhole(before, arrayIndex, clock)
        : new Result(DocumentRules.requireSize(after), true, edit.delta());
  }

  /** The same on all fields. */
  Result applyToWhole(RawDocument before, int arrayIndex, UpdateClock clock) {
    Allowance allowance = Allowance.current();
    long held = DecodedSize.hold(before, allowance);
    try {
      var document = before.toBsonDocument();
      var edit = new Edit(document, arrayIndex, clock, false);
      if (!root.apply(edit, new ArrayList<>())) {
        return new Result(before, false);
      }
      return new Result(DocumentRules.encoded(document), true, edit.delta());
    } finally {
      allowance.release(held);
    }
  }

  @Override
  BsonDocument inserted(BsonDocument start, UpdateClock clock) {
    root.apply(new Edit(start, NO_ARRAY_INDEX, clock, true), new ArrayList<>());
    return start;
  }
}
