package dev.orrery.language.update;

import static dev.orrery.language.update.Argument.badValue;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.WatchedOrder;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** {@code $rename}: moves a value from one path to another. It stands at its target. */
record Rename(UpdatePath source, UpdatePath target) implements LeafNode {
  /** The operator in the table; it has two paths, so the parser builds it by {@link #parse}. */
  static final UpdateOperator OPERATOR =
      argument -> {
        throw new IllegalStateException("$rename is not a modifier of one field");
      };

  /** Marks the source as taken. */
  static final LeafNode SOURCE = new Source();

  private record Source() implements LeafNode {
    @Override
    public boolean apply(Edit edit, List<String> path) {
      return false;
    }
  }

  static Rename parse(UpdatePath source, BsonValue to) {
    String text = BsonText.element(source.text(), to);
    if (!to.isString()) {
      throw badValue("The 'to' field for $rename must be a string: " + text);
    }
    var target = UpdatePath.parse(to.asString().getValue());
    if (target.text().indexOf('\0') >= 0) {
      throw badValue("The 'to' field for $rename cannot contain an embedded null byte");
    }
    if (source.equals(target)) {
      throw badValue("The source and target field for $rename must differ: " + text);
    }
    if (isPrefix(source, target) || isPrefix(target, source)) {
      throw badValue(
          "The source and target field for $rename must not be on the same path: " + text);
    }
    if (source.isDynamic()) {
      throw badValue("The source field for $rename may not be dynamic: " + source.text());
    }
    if (target.isDynamic()) {
      throw badValue("The destination field for $rename may not be dynamic: " + target.text());
    }
    return new Rename(source, target);
  }

  private static boolean isPrefix(UpdatePath path, UpdatePath other) {
    return path.size() < other.size() && path.parts().equals(other.parts().subList(0, path.size()));
  }

  @Override
  public boolean apply(Edit edit, List<String> path) {
    var from = edit.locate(source.parts());
    if (!from.exists()) {
      requireViable(from);
      return false;
    }
    requireNoArray(edit.document(), from, "source");
    requireNoArray(edit.document(), edit.locate(path), "destination");
    new ModifierLeaf(new SetRenamed(from.value())).apply(edit, path);
    edit.replace(from, null);
    if (source.part(0).equals("_id")) {
      throw new CommandException(
          ErrorCode.IMMUTABLE_FIELD,
          "Unsetting the path '"
              + source.text()
              + "' using $rename would modify the immutable field '_id'");
    }
    return true;
  }

  /** Refuses a source behind a scalar, or behind an array by name. */
  private void requireViable(Location from) {
    boolean isViable =
        from.value() instanceof BsonDocument
            || (from.value() instanceof BsonArray
                && UpdatePath.arrayIndex(source.part(from.depth())) >= 0);
    if (!isViable) {
      throw new CommandException(
          ErrorCode.PATH_NOT_VIABLE,
          "cannot use the part ("
              + source.part(from.depth() - 1)
              + " of "
              + source.text()
              + ") to traverse the element ({"
              + from.text()
              + "})");
    }
  }

  /** Refuses a path through an array; what stands at its end may be one. */
  private static void requireNoArray(BsonDocument document, Location end, String role) {
    BsonValue value = document;
    int parts = end.exists() ? end.depth() - 1 : end.depth();
    String arrayName = null;
    for (int i = 0; i < parts; i++) {
      value =
          value instanceof BsonArray elements
              ? elements.get((int) UpdatePath.arrayIndex(end.path().get(i)))
              : value.asDocument().get(end.path().get(i));
      if (value.isArray()) {
        arrayName = end.path().get(i);
      }
    }
    if (arrayName != null) {
      throw badValue(
          "The "
              + role
              + " field cannot be an array element, '"
              + end.dottedPath()
              + "' in doc with "
              + UpdateTarget.id(document, "no id")
              + " has an array field called '"
              + arrayName
              + "'");
    }
  }

  /** Gives the target the value; equal values of different types count as the same. */
  private record SetRenamed(BsonValue value) implements Modifier {
    @Override
    public BsonValue update(BsonValue current, UpdateTarget target) {
      return WatchedOrder.CANONICAL.areEqual(current, value) ? current : value;
    }

    @Override
    public BsonValue create(UpdateTarget target) {
      return value;
    }
  }
}
