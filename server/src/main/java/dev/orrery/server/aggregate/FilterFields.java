package dev.orrery.server.aggregate;

import dev.orrery.server.expression.Dependencies;
import dev.orrery.server.expression.Expressions;
import java.util.HashSet;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Which fields a filter reads. */
final class FilterFields {
  private FilterFields() {}

  /** The dotted paths, or null when they cannot be told. */
  static @Nullable Set<String> of(BsonDocument filter, PipelineContext context) {
    var paths = new HashSet<String>();
    return addAll(filter, context, paths) ? paths : null;
  }

  private static boolean addAll(BsonDocument filter, PipelineContext context, Set<String> paths) {
    for (var condition : filter.entrySet()) {
      if (!add(condition.getKey(), condition.getValue(), context, paths)) {
        return false;
      }
    }
    return true;
  }

  private static boolean add(
      String name, BsonValue value, PipelineContext context, Set<String> paths) {
    if (!name.startsWith("$")) {
      paths.add(name);
      return true;
    }
    switch (name) {
      case "$and", "$or", "$nor" -> {
        for (BsonValue branch : value.asArray()) {
          if (!addAll(branch.asDocument(), context, paths)) {
            return false;
          }
        }
        return true;
      }
      case "$comment" -> {
        return true;
      }
      case "$expr" -> {
        var dependencies = Dependencies.of(Expressions.parse(value, context.expressions()));
        paths.addAll(dependencies.fields());
        return !dependencies.needsWholeDocument() && dependencies.metadata().isEmpty();
      }
      default -> {
        return false;
      }
    }
  }
}
