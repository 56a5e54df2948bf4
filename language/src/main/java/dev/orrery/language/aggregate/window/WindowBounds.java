package dev.orrery.language.aggregate.window;

import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.SortKey;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Constant;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.number.Numbers;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Which documents around the current one belong to its window.
 *
 * @param lower null for unbounded
 * @param upper null for unbounded
 */
public record WindowBounds(
    Kind kind, @Nullable BsonValue lower, @Nullable BsonValue upper, String unit) {
  static final WindowBounds ALL = new WindowBounds(Kind.DOCUMENTS, null, null, "");

  private static final BsonValue CURRENT = new BsonInt32(0);

  /** What bounds count: documents, or differences of the value they are sorted by. */
  enum Kind {
    DOCUMENTS,
    RANGE
  }

  static WindowBounds parse(BsonValue window, @Nullable SortKey sortBy, PipelineContext context) {
    if (!window.isDocument()) {
      throw StageFailures.failedToParse("'window' field must be an object");
    }
    BsonDocument arguments = window.asDocument();
    BsonValue documents = arguments.get("documents");
    BsonValue range = arguments.get("range");
    BsonValue unit = arguments.get("unit");
    if (documents != null && range != null) {
      throw StageFailures.failedToParse(
          "Window bounds can specify either 'documents' or 'unit', not both.");
    }
    if (range == null && unit != null) {
      throw StageFailures.failedToParse(
          "Window bounds can only specify 'unit' with range-based bounds.");
    }
    if (range == null && documents == null) {
      if (!arguments.isEmpty()) {
        throw StageFailures.failedToParse(
            "'window' field can only contain 'documents' as the only argument or 'range' with an"
                + " optional 'unit' field");
      }
      return ALL;
    }
    return documents != null
        ? parseDocuments(arguments, sortBy, context)
        : parseRange(arguments, sortBy, context);
  }

  private static WindowBounds parseDocuments(
      BsonDocument arguments, @Nullable SortKey sortBy, PipelineContext context) {
    if (arguments.size() != 1) {
      throw StageFailures.failedToParse(
          "'window' field that specifies documents cannot have other fields");
    }
    List<BsonValue> pair = pair("documents", arguments.get("documents"));
    BsonValue lower = bound(pair.get(0), context);
    BsonValue upper = bound(pair.get(1), context);
    for (BsonValue bound : new BsonValue[] {lower, upper}) {
      if (bound != null && !Numbers.isInt(bound)) {
        throw StageFailures.failedToParse("Numeric document-based bounds must be an integer");
      }
    }
    requireForward(lower, upper);
    if (sortBy == null && (lower != null || upper != null)) {
      throw new CommandException(
          ErrorCode.LOCATION_5339901, "Document-based bounds require a sortBy");
    }
    return new WindowBounds(Kind.DOCUMENTS, lower, upper, "");
  }

  private static WindowBounds parseRange(
      BsonDocument arguments, @Nullable SortKey sortBy, PipelineContext context) {
    List<BsonValue> pair = pair("range", arguments.get("range"));
    BsonValue unit = arguments.get("unit");
    if (arguments.size() != (unit == null ? 1 : 2)) {
      throw StageFailures.failedToParse(
          unit == null
              ? "'window' field that specifies range cannot have other fields besides 'unit'"
              : "'window' field that specifies unit cannot have other fields besides 'range'");
    }
    if (unit != null && !unit.isString()) {
      throw StageFailures.failedToParse("'unit' must be a string");
    }
    BsonValue lower = bound(pair.get(0), context);
    BsonValue upper = bound(pair.get(1), context);
    for (BsonValue bound : new BsonValue[] {lower, upper}) {
      if (bound != null && unit != null && !Numbers.isInt(bound)) {
        throw StageFailures.failedToParse("With 'unit', range-based bounds must be an integer");
      }
      if (bound != null && !Numbers.isNumber(bound)) {
        throw StageFailures.failedToParse("Range-based bounds expression must be a number");
      }
    }
    requireForward(lower, upper);
    if (unit != null) {
      TimeUnits.require(unit.asString().getValue());
    }
    if (sortBy == null || sortBy.pattern().parts().size() != 1) {
      throw new CommandException(
          ErrorCode.LOCATION_5339902, "Range-based bounds require sortBy a single field");
    }
    if (sortBy.pattern().parts().get(0).isDescending()) {
      throw new CommandException(
          ErrorCode.LOCATION_8947401, "Range-based bounds require an ascending sortBy");
    }
    return new WindowBounds(
        Kind.RANGE, lower, upper, unit == null ? "" : unit.asString().getValue());
  }

  private static List<BsonValue> pair(String name, BsonValue value) {
    if (!value.isArray() || value.asArray().size() != 2) {
      throw StageFailures.failedToParse(
          "Window bounds must be a 2-element array: " + BsonText.element(name, value));
    }
    return value.asArray();
  }

  /** The number; 0 for current, null for unbounded. */
  private static @Nullable BsonValue bound(BsonValue value, PipelineContext context) {
    if (value.isString()) {
      return switch (value.asString().getValue()) {
        case "unbounded" -> null;
        case "current" -> CURRENT;
        default ->
            throw StageFailures.failedToParse(
                "Window bounds must be 'unbounded', 'current', or a number.");
      };
    }
    Expression expression = Expressions.parse(value, context.expressions()).optimize();
    if (!(expression instanceof Constant constant) || constant.value() == null) {
      throw StageFailures.failedToParse("Window bounds expression must be a constant.");
    }
    return constant.value();
  }

  private static void requireForward(@Nullable BsonValue lower, @Nullable BsonValue upper) {
    if (lower != null && upper != null && WatchedOrder.CANONICAL.compare(lower, upper) > 0) {
      throw new CommandException(
          ErrorCode.LOCATION_5339900,
          "Lower bound must not exceed upper bound: ["
              + BsonText.aggregated(lower)
              + ", "
              + BsonText.aggregated(upper)
              + "]");
    }
  }

  /** Whether the window of every document begins with the first one. */
  boolean isOpenBefore() {
    return lower == null;
  }

  Position open(WindowPartition partition) {
    return new Position(partition);
  }

  /**
   * The window of one document after the other. Both ends only move forward, as documents are
   * sorted by what they are compared by.
   */
  final class Position {
    private final WindowPartition partition;
    private int from;
    private int to;

    private Position(WindowPartition partition) {
      this.partition = partition;
    }

    /** The first document of the window. */
    int from() {
      return from;
    }

    /** The one after the last. */
    int to() {
      return to;
    }

    void moveTo(int place) {
      int size = partition.size();
      if (kind == Kind.RANGE) {
        moveInRange(place);
        return;
      }
      long first = lower == null ? 0 : place + Numbers.toLong(lower);
      long end = upper == null ? size : place + Numbers.toLong(upper) + 1;
      from = (int) Math.max(0, Math.min(size, first));
      to = (int) Math.max(from, Math.min(size, end));
    }

    private void moveInRange(int place) {
      BsonValue value = requireValue(partition.sortValue(place));
      Allowance allowance = Allowance.current();
      if (lower == CURRENT) {
        from = place; // not even those before that sort equal
      } else if (lower != null) {
        BsonValue least = sum(value, lower);
        while (from < partition.size() && !isAtLeast(partition.sortValue(from), least)) {
          allowance.step();
          from++;
        }
      }
      to = Math.max(from, to);
      if (upper == null) {
        to = partition.size();
      } else if (upper == CURRENT) {
        to = Math.max(from, place + 1);
      } else {
        BsonValue greatest = sum(value, upper);
        while (to < partition.size() && isAtMost(partition.sortValue(to), greatest)) {
          allowance.step();
          to++;
        }
      }
    }
  }

  private BsonValue requireValue(@Nullable BsonValue value) {
    if (unit.isEmpty()) {
      if (value != null && value.isDateTime()) {
        throw new CommandException(
            ErrorCode.LOCATION_5429413,
            "Invalid range: For windows that involve date or time ranges, a unit must be"
                + " provided.");
      }
      if (!Numbers.isNumber(value)) {
        throw new CommandException(
            ErrorCode.LOCATION_5429414,
            "Invalid range: Expected the sortBy field to be a number, but it was "
                + BsonText.typeName(value));
      }
    } else if (value == null || !value.isDateTime()) {
      throw new CommandException(
          ErrorCode.LOCATION_5429513,
          "Invalid range: Expected the sortBy field to be a Date, but it was "
              + BsonText.typeName(value));
    }
    return value;
  }

  private boolean isComparable(@Nullable BsonValue value) {
    return value != null && (unit.isEmpty() ? Numbers.isNumber(value) : value.isDateTime());
  }

  private boolean isAtLeast(@Nullable BsonValue value, BsonValue least) {
    return isComparable(value) && WatchedOrder.CANONICAL.compare(value, least) >= 0;
  }

  private boolean isAtMost(@Nullable BsonValue value, BsonValue greatest) {
    return isComparable(value) && WatchedOrder.CANONICAL.compare(value, greatest) <= 0;
  }

  private BsonValue sum(BsonValue value, BsonValue difference) {
    return unit.isEmpty()
        ? Numbers.add(value, difference)
        : TimeUnits.add(value, unit, Numbers.toLong(difference));
  }

  /** Units of time in the words of stages. */
  public static final class TimeUnits {
    private static final List<String> NAMES =
        List.of(
            "year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond");

    private TimeUnits() {}

    public static void require(String name) {
      if (!NAMES.contains(name)) {
        throw StageFailures.failedToParse("unknown time unit value: " + name);
      }
    }

    static boolean isLongerThanWeek(String name) {
      return NAMES.indexOf(name) < 3;
    }

    /** The date so many units later, in UTC. */
    public static BsonValue add(BsonValue date, String unit, long amount) {
      var call =
          new BsonDocument("startDate", new BsonString("$d"))
              .append("unit", new BsonString(unit))
              .append("amount", new org.bson.BsonInt64(amount));
      Expression sum =
          Expressions.parseOperator(
              "$dateAdd", call, dev.orrery.language.expression.ParseContext.at(0));
      return sum.evaluate(new Scope(new BsonDocument("d", date)));
    }

    /** The length of a unit up to a week. */
    static long millis(String unit) {
      return dev.orrery.language.date.TimeUnit.valueOf(unit.toUpperCase(java.util.Locale.ROOT))
          .fixedMillis();
    }
  }
}
