package dev.orrery.server.command.schema;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.server.expiry.Expiry;
import dev.orrery.value.BsonOrder;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Whether an index can be added to those that exist: by name, by key and by options. */
final class IndexConflicts {
  private static final int INDEXES_MAX = 64;

  /* Two indexes are different if one of these differs; then both may exist, by other names. The
   * other options only make them unequal, except the last group, which does not matter at all. */
  private static final Set<String> NOT_COMPARED =
      Set.of(
          "key",
          "ns",
          "name",
          "v",
          "textIndexVersion",
          "2dsphereIndexVersion",
          "background",
          "dropDups",
          "hidden",
          "collation",
          "partialFilterExpression",
          "unique",
          "sparse",
          "wildcardProjection",
          "prepareUnique",
          Expiry.SINCE);

  private enum Comparison {
    IDENTICAL,
    EQUIVALENT,
    DIFFERENT
  }

  private IndexConflicts() {}

  /**
   * Whether the same index exists already.
   *
   * @param existing the indexes of the collection, and those that are built together
   * @throws CommandException if the new one can not be added
   */
  static boolean exists(String namespace, List<BsonDocument> existing, BsonDocument requested) {
    String name = requested.getString("name").getValue();
    for (BsonDocument other : existing) {
      if (other.getString("name").getValue().equals(name)) {
        return isSame(requested, other);
      }
    }
    for (BsonDocument other : existing) {
      requireOther(requested, other);
    }
    if (existing.size() >= INDEXES_MAX) {
      throw new CommandException(
          ErrorCode.CANNOT_CREATE_INDEX,
          "add index fails, too many indexes for %s key:%s"
              .formatted(namespace, BsonText.document(requested.getDocument("key"))));
    }
    return false;
  }

  private static boolean isSame(BsonDocument requested, BsonDocument other) {
    return switch (compare(requested, other)) {
      case IDENTICAL -> true;
      case EQUIVALENT ->
          throw new CommandException(
              ErrorCode.INDEX_OPTIONS_CONFLICT,
              "An equivalent index already exists with the same name but different options. "
                  + both(requested, other));
      case DIFFERENT ->
          throw new CommandException(
              ErrorCode.INDEX_KEY_SPECS_CONFLICT,
              "An existing index has the same name as the requested index. When index names are"
                  + " not specified, they are auto generated and can cause conflicts. Please"
                  + " refer to our documentation. "
                  + both(requested, other));
    };
  }

  private static void requireOther(BsonDocument requested, BsonDocument other) {
    Comparison comparison = compare(requested, other);
    if (comparison == Comparison.EQUIVALENT) {
      throw new CommandException(
          ErrorCode.INDEX_OPTIONS_CONFLICT,
          "An equivalent index already exists with a different name and options. "
              + both(requested, other));
    }
    if (comparison == Comparison.IDENTICAL) {
      throw new CommandException(
          ErrorCode.INDEX_OPTIONS_CONFLICT,
          "Index already exists with a different name: " + other.getString("name").getValue());
    }
  }

  private static String both(BsonDocument requested, BsonDocument other) {
    return "Requested index: %s, existing index: %s"
        .formatted(BsonText.document(requested), BsonText.document(other));
  }

  private static Comparison compare(BsonDocument one, BsonDocument other) {
    boolean isOther =
        !areEqual(one.get("key"), other.get("key"))
            || !areEqual(one.get("collation"), other.get("collation"))
            || !areEqual(one.get("wildcardProjection"), other.get("wildcardProjection"))
            || IndexDefinition.isTrue(one, "unique") != IndexDefinition.isTrue(other, "unique")
            || IndexDefinition.isTrue(one, "sparse") != IndexDefinition.isTrue(other, "sparse")
            || !haveSameFilter(one, other);
    if (isOther) {
      return Comparison.DIFFERENT;
    }
    return areEqual(rest(one), rest(other)) ? Comparison.IDENTICAL : Comparison.EQUIVALENT;
  }

  private static BsonDocument rest(BsonDocument spec) {
    var rest = new BsonDocument();
    spec.entrySet().stream()
        .filter(field -> !NOT_COMPARED.contains(field.getKey()))
        .sorted(java.util.Map.Entry.comparingByKey())
        .forEach(field -> rest.append(field.getKey(), field.getValue()));
    return rest;
  }

  /** Filters are the same if they mean the same: {@code {b: 1}} and {@code {b: {$eq: 1}}}. */
  private static boolean haveSameFilter(BsonDocument one, BsonDocument other) {
    BsonDocument first = one.getDocument("partialFilterExpression", null);
    BsonDocument second = other.getDocument("partialFilterExpression", null);
    if (first == null || second == null) {
      return first == second;
    }
    FilterContext context = FilterContext.DEFAULT.allowing(Set.of());
    return areEqual(first, second)
        || FilterParser.parse(first, context).equals(FilterParser.parse(second, context));
  }

  private static boolean areEqual(@Nullable BsonValue one, @Nullable BsonValue other) {
    if (one == null || other == null) {
      return one == other;
    }
    return BsonOrder.CANONICAL.areEqual(one, other);
  }
}
