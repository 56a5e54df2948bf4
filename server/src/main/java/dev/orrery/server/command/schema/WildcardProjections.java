package dev.orrery.server.command.schema;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.Projection;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Which {@code wildcardProjection} goes with which key pattern. */
final class WildcardProjections {
  private static final String NAME = "wildcardProjection";

  private WildcardProjections() {}

  static void require(BsonDocument key, BsonValue value) {
    if (!IndexKeyPattern.kind(key).equals(IndexKeyPattern.WILDCARD)) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "The field 'wildcardProjection' is only allowed in 'wildcard' indexes");
    }
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "The field 'wildcardProjection' must be a non-empty object, but got "
              + BsonText.typeName(value));
    }
    if (!key.containsKey("$**")) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "The field 'wildcardProjection' is only allowed when 'key' is {\"$**\": ±1} or"
              + " {\"$**\": \"columnstore\"}");
    }
    BsonDocument projection = value.asDocument();
    if (projection.isEmpty()) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "The 'wildcardProjection' field can't be an empty object");
    }
    if (key.size() > 1) {
      requireCompound(key, projection);
    }
    try {
      Projection.parse(projection, new Filter.And(List.of()), FilterContext.DEFAULT);
    } catch (CommandException e) {
      throw new CommandException(
          e.code(), "Failed to parse projection: " + NAME + " :: caused by :: " + e.getMessage());
    }
  }

  /** The other fields of a compound index must be outside of what the wildcard covers. */
  private static void requireCompound(BsonDocument key, BsonDocument projection) {
    var included = new ArrayList<String>();
    var excluded = new ArrayList<String>();
    projection.forEach((path, value) -> (isTrue(value) ? included : excluded).add(path));
    for (String field : key.keySet()) {
      if (IndexKeyPattern.isWildcard(field)) {
        continue;
      }
      for (String path : included) {
        if (IndexKeyPattern.covers(path, field)) {
          throw new CommandException(
              ErrorCode.LOCATION_7246208,
              "Index Key and Wildcard Projection cannot contain overlapping fields, however '%s' index field is ovverlapping with '%s' wildcardProjection path."
                  .formatted(field, path));
        }
      }
      boolean isOutside = excluded.stream().anyMatch(path -> IndexKeyPattern.covers(path, field));
      if (!excluded.isEmpty() && !isOutside) {
        throw new CommandException(
            ErrorCode.LOCATION_7246209,
            "wildcardProjection paths must exclude all regular index fields, however '%s'is not excluded."
                .formatted(field));
      }
    }
  }

  private static boolean isTrue(BsonValue value) {
    return value.isBoolean()
        ? value.asBoolean().getValue()
        : value.isNumber() && value.asNumber().doubleValue() != 0;
  }
}
