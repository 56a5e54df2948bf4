package dev.orrery.language.update;

import dev.orrery.language.error.BsonText;
import java.util.List;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Where a path leads in a document: {@code value} is the last thing on it that exists, {@code
 * depth} parts down, inside {@code parent}.
 *
 * @param parent null if not even the first part exists; the value is the document itself then
 */
record Location(List<String> path, int depth, @Nullable BsonValue parent, BsonValue value) {
  boolean exists() {
    return depth == path.size();
  }

  /** The name under which the value stands in its parent. */
  String name() {
    return path.get(depth - 1);
  }

  /** The part of the path that exists, dotted. */
  String takenPath() {
    return String.join(".", path.subList(0, depth));
  }

  String dottedPath() {
    return String.join(".", path);
  }

  /** The value with its name, as messages show it: {@code a: [ 1, 2 ]}. */
  String text() {
    return BsonText.element(name(), value);
  }
}
