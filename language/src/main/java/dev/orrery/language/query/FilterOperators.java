package dev.orrery.language.query;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tables of all filter operators, by name. */
final class FilterOperators {
  /** Operators on a field: {@code {path: {$gt: 1}}}. */
  static final Map<String, FilterOperator> ON_FIELDS =
      merge(
          List.of(
              ArrayFilters.OPERATORS,
              BitwiseFilters.OPERATORS,
              ComparisonFilters.OPERATORS,
              ElementFilters.OPERATORS,
              EvaluationFilters.OPERATORS,
              GeoFilters.OPERATORS,
              LogicalFilters.OPERATORS));

  /** Operators in place of a field: {@code {$or: [...]}}. */
  static final Map<String, TopLevelOperator> AT_TOP_LEVEL =
      merge(
          List.of(
              ComparisonFilters.TOP_LEVEL, EvaluationFilters.TOP_LEVEL, LogicalFilters.TOP_LEVEL));

  private FilterOperators() {}

  private static <T> Map<String, T> merge(List<Map<String, T>> families) {
    var table = new HashMap<String, T>();
    for (var family : families) {
      for (var entry : family.entrySet()) {
        if (table.put(entry.getKey(), entry.getValue()) != null) {
          throw new IllegalStateException("operator defined twice: " + entry.getKey());
        }
      }
    }
    return Map.copyOf(table);
  }
}
