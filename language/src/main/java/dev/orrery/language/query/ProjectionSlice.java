package dev.orrery.language.query;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Find's {@code $slice}: its arguments, and what it leaves of the arrays at a path. */
final class ProjectionSlice {
  private ProjectionSlice() {}

  /** Reads a limit, or {@code [skip, limit]}. */
  static ProjectionNode.Slice parse(BsonValue argument) {
    if (isNumber(argument)) {
      return new ProjectionNode.Slice(null, clamp(argument));
    }
    if (!argument.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_31273, "$slice only supports numbers and [skip, limit] arrays");
    }
    if (argument.asArray().size() != 2) {
      throw new CommandException(
          ErrorCode.LOCATION_31272, "$slice array argument should be of form [skip, limit]");
    }
    var skip = argument.asArray().get(0);
    var limit = argument.asArray().get(1);
    requireNumber(skip, "skip", ErrorCode.LOCATION_31257);
    requireNumber(limit, "limit", ErrorCode.LOCATION_31258);
    if (clamp(limit) <= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_31259, "$slice limit must be positive, got " + clamp(limit));
    }
    return new ProjectionNode.Slice(clamp(skip), clamp(limit));
  }

  private static void requireNumber(BsonValue value, String role, ErrorCode code) {
    if (!isNumber(value)) {
      throw new CommandException(
          code,
          "$slice expects the "
              + role
              + " argument to be a number, got "
              + BsonText.typeName(value));
    }
  }

  private static boolean isNumber(BsonValue value) {
    return RawTypes.isNumber(RawTypes.of(value.getBsonType()));
  }

  /** The number as an int: fractions are cut off, what does not fit becomes the nearest. */
  private static int clamp(BsonValue number) {
    var raw = RawValue.of(number);
    if (ValueTypes.isNaN(raw)) {
      return 0;
    }
    var whole = IntegerArgument.truncatedLong(raw);
    if (whole == null) {
      boolean isNegative =
          raw.type() == RawTypes.DOUBLE ? raw.asDouble() < 0 : ValueTypes.decimal(raw).isNegative();
      return isNegative ? Integer.MIN_VALUE : Integer.MAX_VALUE;
    }
    return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, whole));
  }

  /** Cuts the arrays at the path; arrays on the way have it done in each of their documents. */
  static void apply(BsonDocument document, List<String> path, ProjectionNode.Slice slice) {
    String name = path.get(0);
    var value = document.get(name);
    if (value == null) {
      return;
    }
    if (path.size() == 1) {
      if (value.isArray()) {
        document.put(name, cut(value.asArray(), slice));
      }
      return;
    }
    var rest = path.subList(1, path.size());
    if (value.isDocument()) {
      apply(value.asDocument(), rest, slice);
    } else if (value.isArray()) {
      for (var element : value.asArray()) {
        if (element.isDocument()) {
          apply(element.asDocument(), rest, slice);
        }
      }
    }
  }

  private static BsonArray cut(BsonArray array, ProjectionNode.Slice slice) {
    int size = array.size();
    int start = start(size, slice.skip(), slice.limit());
    long length = slice.skip() == null && slice.limit() < 0 ? size : slice.limit();
    int end = (int) Math.min(size, start + length);
    return new BsonArray(array.subList(start, end));
  }

  private static int start(int size, @Nullable Integer skip, int limit) {
    if (skip == null) {
      return limit < 0 ? Math.max(0, size + Math.max(limit, -size)) : 0;
    }
    return skip < 0 ? size + Math.max(skip, -size) : Math.min(skip, size);
  }
}
