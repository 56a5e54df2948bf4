package dev.orrery.language.update;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Which elements {@code $[identifier]} stands for: one of a statement's arrayFilters. */
record ArrayFilter(String identifier, Filter filter) {
  private static final Pattern IDENTIFIER = Pattern.compile("[a-z][a-zA-Z0-9]*");
  private static final Set<String> LOGICAL = Set.of("$and", "$or", "$nor");

  /** All filters by identifier; each has one of its own. */
  static Map<String, ArrayFilter> parseAll(List<BsonDocument> filters, BsonOrder order) {
    var parsed = new TreeMap<String, ArrayFilter>();
    for (var document : filters) {
      var filter = parse(document, order);
      if (parsed.put(filter.identifier(), filter) != null) {
        throw failed(
            "Found multiple array filters with the same top-level field name "
                + filter.identifier());
      }
    }
    return parsed;
  }

  private static ArrayFilter parse(BsonDocument document, BsonOrder order) {
    Filter filter;
    String identifier;
    try {
      var context = FilterContext.DEFAULT.withOrder(order).allowing(Set.of());
      filter = FilterParser.parse(document, context);
      identifier = identifier(document, null);
      requireAlphanumeric(identifier);
    } catch (CommandException e) {
      throw new CommandException(
          e.code(), "Error parsing array filter :: caused by :: " + e.getMessage());
    }
    if (identifier == null) {
      throw failed("Cannot use an expression without a top-level field name in arrayFilters");
    }
    return new ArrayFilter(identifier, filter);
  }

  private static @Nullable String identifier(BsonDocument filter, @Nullable String found) {
    String identifier = found;
    for (var entry : filter.entrySet()) {
      if (LOGICAL.contains(entry.getKey())) {
        for (BsonValue clause : entry.getValue().asArray()) {
          identifier = identifier(clause.asDocument(), identifier);
        }
      } else if (!entry.getKey().startsWith("$")) {
        identifier = requireSame(identifier, firstPart(entry.getKey()));
      }
    }
    return identifier;
  }

  private static String firstPart(String path) {
    int dot = path.indexOf('.');
    return dot < 0 ? path : path.substring(0, dot);
  }

  private static String requireSame(@Nullable String identifier, String other) {
    if (identifier != null && !identifier.equals(other)) {
      throw failed(
          "Expected a single top-level field name, found '" + identifier + "' and '" + other + "'");
    }
    return other;
  }

  private static void requireAlphanumeric(@Nullable String identifier) {
    if (identifier != null && !IDENTIFIER.matcher(identifier).matches()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "The top-level field name must be an alphanumeric string beginning with a lowercase"
              + " letter, found '"
              + identifier
              + "'");
    }
  }

  private static CommandException failed(String message) {
    return new CommandException(ErrorCode.FAILED_TO_PARSE, message);
  }

  boolean matches(BsonValue element) {
    Allowance.current().steps(filter.size());
    return filter.matches(RawDocument.of(new BsonDocument(identifier, element)));
  }
}
