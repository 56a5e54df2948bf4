package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expressions;
import java.util.HashSet;
import java.util.Set;
import org.bson.BsonArray;
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

  /**
   * The same filter for the value of a field instead of the document around it, {@code {"a.b": 1}
   * -> {b: 1}} below {@code a}; null if it reads anything else, or the value as a whole.
   */
  static @Nullable BsonDocument below(BsonDocument filter, String field) {
    var below = new BsonDocument();
    for (var condition : filter.entrySet()) {
      String name = condition.getKey();
      BsonValue value = condition.getValue();
      if (name.equals("$and") || name.equals("$or") || name.equals("$nor")) {
        var branches = new BsonArray();
        for (BsonValue branch : value.asArray()) {
          BsonDocument inner = below(branch.asDocument(), field);
          if (inner == null) {
            return null;
          }
          branches.add(inner);
        }
        below.append(name, branches);
      } else if (name.startsWith(field + ".")) {
        below.append(name.substring(field.length() + 1), value);
      } else {
        return null;
      }
    }
    return below;
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
