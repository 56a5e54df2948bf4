package dev.orrery.server.update;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.expression.Expressions;
import dev.orrery.server.expression.FieldNames;
import dev.orrery.server.expression.Numbers;
import dev.orrery.server.expression.ParseContext;
import dev.orrery.server.expression.Truth;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Parses what {@code $set}, {@code $unset} and {@code $project} say about fields. */
final class FieldRulesParser {
  private final ParseContext context;
  private final FieldRules root = new FieldRules();

  /** Whether a projection keeps the fields it names, or drops them; null while it is open. */
  private @Nullable Boolean isInclusion;

  FieldRulesParser(ParseContext context) {
    this.context = context;
  }

  FieldRules parseSet(BsonDocument fields) {
    for (var field : fields.entrySet()) {
      try {
        addComputed(FieldNames.split(field.getKey()), field.getValue());
      } catch (PathConflict e) {
        throw new CommandException(
            ErrorCode.LOCATION_40176,
            "specification contains two conflicting paths. Cannot specify both '"
                + e.path
                + "' and '"
                + e.other
                + "': "
                + BsonText.document(fields));
      }
    }
    return root;
  }

  private void addComputed(List<String> path, BsonValue value) {
    if (isNested(value)) {
      for (var field : value.asDocument().entrySet()) {
        addComputed(below(path, field.getKey()), field.getValue());
      }
    } else {
      add(path, new FieldRules.Compute(Expressions.parse(value, context)));
    }
  }

  private static boolean isNested(BsonValue value) {
    return value.isDocument()
        && !value.asDocument().isEmpty()
        && !value.asDocument().getFirstKey().startsWith("$");
  }

  FieldRules parseUnset(BsonArray paths) {
    for (BsonValue path : paths) {
      addWithCollision(FieldNames.split(path.asString().getValue()), new FieldRules.Drop());
    }
    return root;
  }

  UnaryOperator<BsonDocument> parseProject(BsonDocument fields) {
    if (fields.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_51272, "projection specification must have at least one field");
    }
    decideKind(fields);
    boolean keeps = isInclusion == null || isInclusion;
    if (keeps && !fields.containsKey("_id")) {
      root.add("_id", new FieldRules.Keep());
    }
    for (var field : fields.entrySet()) {
      parseProjected(FieldNames.split(field.getKey()), field.getValue(), keeps);
    }
    return keeps ? root::keptIn : root::withoutDropped;
  }

  /** The first field besides {@code _id} that is kept, dropped or computed decides. */
  private void decideKind(BsonDocument fields) {
    for (var field : fields.entrySet()) {
      if (!field.getKey().equals("_id") && isInclusion == null) {
        isInclusion = !isFlag(field.getValue()) || Truth.isTrue(field.getValue());
      }
    }
    if (isInclusion == null) {
      var id = fields.get("_id");
      isInclusion = !isFlag(id) || Truth.isTrue(id);
    }
  }

  private static boolean isFlag(BsonValue value) {
    return Numbers.isNumber(value) || value.isBoolean();
  }

  private void parseProjected(List<String> path, BsonValue value, boolean keeps) {
    if (isNested(value)) {
      for (var field : value.asDocument().entrySet()) {
        parseProjected(below(path, field.getKey()), field.getValue(), keeps);
      }
    } else if (isFlag(value)) {
      addFlag(path, Truth.isTrue(value), keeps);
    } else {
      if (!keeps) {
        throw new CommandException(
            ErrorCode.LOCATION_31252,
            "Cannot use an expression "
                + BsonText.element(String.join(".", path), value)
                + " in an exclusion projection");
      }
      addWithCollision(path, new FieldRules.Compute(Expressions.parse(value, context)));
    }
  }

  /** A field that is kept or dropped; only {@code _id} may differ from the others. */
  private void addFlag(List<String> path, boolean isKept, boolean keeps) {
    String text = String.join(".", path);
    if (isKept != keeps && !text.equals("_id")) {
      throw isKept
          ? new CommandException(
              ErrorCode.LOCATION_31253,
              "Cannot do inclusion on field " + text + " in exclusion projection")
          : new CommandException(
              ErrorCode.LOCATION_31254,
              "Cannot do exclusion on field " + text + " in inclusion projection");
    }
    addWithCollision(path, isKept ? new FieldRules.Keep() : new FieldRules.Drop());
  }

  private static List<String> below(List<String> path, String name) {
    var inner = new ArrayList<>(path);
    inner.addAll(FieldNames.split(name));
    return inner;
  }

  private void addWithCollision(List<String> path, FieldRules.Rule rule) {
    try {
      add(path, rule);
    } catch (PathConflict e) {
      int depth = FieldNames.split(e.other).size();
      String remaining = String.join(".", path.subList(Math.min(depth, path.size()), path.size()));
      throw remaining.isEmpty()
          ? new CommandException(ErrorCode.LOCATION_31250, "Path collision at " + e.path)
          : new CommandException(
              ErrorCode.LOCATION_31249,
              "Path collision at " + e.path + " remaining portion " + remaining);
    }
  }

  private void add(List<String> path, FieldRules.Rule rule) {
    var rules = root;
    for (int i = 0; i < path.size() - 1; i++) {
      var next = rules.rule(path.get(i));
      if (next == null) {
        next = new FieldRules.Below(new FieldRules());
        rules.add(path.get(i), next);
      } else if (!(next instanceof FieldRules.Below)) {
        throw new PathConflict(path, path.subList(0, i + 1));
      }
      rules = ((FieldRules.Below) next).rules();
    }
    if (rules.rule(path.get(path.size() - 1)) != null) {
      throw new PathConflict(path, path);
    }
    rules.add(path.get(path.size() - 1), rule);
  }

  /** Two rules for one field, or one below the other. */
  private static final class PathConflict extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String path;
    private final String other;

    PathConflict(List<String> path, List<String> other) {
      super(null, null, false, false);
      this.path = String.join(".", path);
      this.other = String.join(".", other);
    }
  }
}
