package dev.orrery.language.expression;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Every operator, again and again, on every kind of large value in each of its operands: it looks
 * whether the request must end as often as what it does takes time.
 */
class LargeOperandsTest {
  private static final int TEXT_LENGTH = 4 << 20;
  private static final int ELEMENTS = 150_000;
  private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** How late an operator may be on a machine that does much else: far less than it would be. */
  private static final long LATE_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

  /** Rounds of a loop around the operator between two of the loop's own looks at the clock. */
  private static final int ROUNDS = 256;

  /**
   * What is not given its operands one after the other; #x is a large value, #y another like it.
   */
  private static final Map<String, List<String>> NAMED =
      Map.ofEntries(
          entry("$convert", List.of("{input: #x, to: 'string', onError: 1}")),
          entry("$dateAdd", List.of("{startDate: '$$d', unit: 'day', amount: 1, timezone: #x}")),
          entry("$dateDiff", List.of("{startDate: '$$d', endDate: '$$d', unit: #x}")),
          entry("$dateFromParts", List.of("{year: 2020, timezone: #x}")),
          entry(
              "$dateFromString",
              List.of(
                  "{dateString: #x, onError: 1}",
                  "{dateString: #x, format: '%Y', onError: 1}",
                  "{dateString: #x, format: '$$f', onError: 1}")),
          entry("$dateSubtract", List.of("{startDate: '$$d', unit: #x, amount: 1}")),
          entry("$dateToParts", List.of("{date: '$$d', timezone: #x}")),
          entry("$dateToString", List.of("{date: '$$d', format: #x}", "{date: #x, onNull: 1}")),
          entry("$dateTrunc", List.of("{date: '$$d', unit: #x}")),
          entry("$filter", List.of("{input: #x, cond: false}")),
          entry("$firstN", List.of("{input: #x, n: 100000}")),
          entry("$getField", List.of("{field: 'k', input: #x}")),
          entry("$hashSuffix", List.of("[#x, 'a', 4]", "['a', #x, 4]", "[#x, #y, 4]")),
          entry("$lastN", List.of("{input: #x, n: 100000}")),
          entry("$let", List.of("{vars: {a: #x}, in: ['$$a', '$$a']}")),
          entry("$ltrim", List.of("{input: #x, chars: 'a'}", "{input: #x, chars: #y}")),
          entry("$map", List.of("{input: #x, in: 1}")),
          entry("$maxN", List.of("{input: #x, n: 5}")),
          entry("$median", List.of("{input: #x, method: 'approximate'}")),
          entry("$minN", List.of("{input: #x, n: 5}")),
          entry("$percentile", List.of("{input: #x, p: [0.5], method: 'approximate'}")),
          entry("$reduce", List.of("{input: #x, initialValue: 0, in: '$$value'}")),
          entry("$regexFind", List.of("{input: #x, regex: 'b$'}", "{input: 'a', regex: #x}")),
          entry("$regexFindAll", List.of("{input: #x, regex: 'b'}")),
          entry("$regexMatch", List.of("{input: #x, regex: 'b'}")),
          entry(
              "$replaceAll",
              List.of(
                  "{input: #x, find: 'b', replacement: ''}",
                  "{input: #x, find: #y, replacement: 'b'}",
                  "{input: 'b', find: 'b', replacement: #x}")),
          entry(
              "$replaceOne",
              List.of(
                  "{input: #x, find: 'b', replacement: ''}",
                  "{input: #x, find: #y, replacement: 'b'}")),
          entry("$rtrim", List.of("{input: #x, chars: 'a'}", "{input: #x, chars: #y}")),
          entry("$setField", List.of("{field: 'k', input: #x, value: 1}")),
          entry("$sortArray", List.of("{input: #x, sortBy: -1}", "{input: #x, sortBy: {k: -1}}")),
          entry("$switch", List.of("{branches: [{case: {$eq: [#x, #y]}, then: #x}], default: 2}")),
          entry("$trim", List.of("{input: #x, chars: 'a'}", "{input: #x, chars: #y}")),
          entry("$unsetField", List.of("{field: 'k', input: #x}")),
          entry("$zip", List.of("{inputs: [#x, #y]}")));

  private static final List<String> PLAIN =
      List.of(
          "#x", "[#x, #y]", "[#x, 'ab']", "['ab', #x]", "[#x, 1]", "[-1, #x]", "[#x, 1, 3000000]");

  /** They take numbers, dates and the like only, or do not look at what they are given. */
  private static final Set<String> TAKES_NOTHING_LARGE =
      Set.of(
          "$abs",
          "$acos",
          "$acosh",
          "$asin",
          "$asinh",
          "$atan",
          "$atan2",
          "$atanh",
          "$bitAnd",
          "$bitNot",
          "$bitOr",
          "$bitXor",
          "$ceil",
          "$cos",
          "$cosh",
          "$dateAdd",
          "$dateDiff",
          "$dateFromParts",
          "$dateSubtract",
          "$dateToParts",
          "$dateTrunc",
          "$dayOfMonth",
          "$dayOfWeek",
          "$dayOfYear",
          "$degreesToRadians",
          "$divide",
          "$exp",
          "$floor",
          "$hour",
          "$isoDayOfWeek",
          "$isoWeek",
          "$isoWeekYear",
          "$ln",
          "$log",
          "$log10",
          "$meta",
          "$millisecond",
          "$minute",
          "$mod",
          "$month",
          "$multiply",
          "$pow",
          "$radiansToDegrees",
          "$rand",
          "$range",
          "$round",
          "$second",
          "$sin",
          "$sinh",
          "$sqrt",
          "$subtract",
          "$tan",
          "$tanh",
          "$toDate",
          "$toDecimal",
          "$toDouble",
          "$toInt",
          "$toLong",
          "$toObjectId",
          "$trunc",
          "$tsIncrement",
          "$tsSecond",
          "$week",
          "$year",
          "$add");

  private static final Map<String, BsonValue> VALUES = new LinkedHashMap<>();
  private static final Map<String, BsonValue> OTHERS = new LinkedHashMap<>();

  @BeforeAll
  static void makeValues() {
    fill(VALUES);
    fill(OTHERS);
  }

  private static void fill(Map<String, BsonValue> values) {
    values.put("text", new BsonString("a".repeat(TEXT_LENGTH)));
    values.put("binary", new BsonBinary(new byte[TEXT_LENGTH]));
    var numbers = new BsonArray(ELEMENTS);
    var documents = new BsonArray(ELEMENTS);
    var fields = new BsonDocument();
    for (int i = 0; i < ELEMENTS; i++) {
      numbers.add(new BsonInt32(i));
      documents.add(new BsonDocument("k", new BsonString("k" + i)).append("v", numbers.get(i)));
      fields.append("k" + i, numbers.get(i));
    }
    values.put("numbers", numbers);
    values.put("documents", documents);
    values.put("fields", fields);
    values.put("inside", new BsonDocument("k", documents));
  }

  private static final class TimeIsUp extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TimeIsUp() {
      super("time is up", null, false, false);
    }
  }

  @Test
  void everyOperatorEndsInTimeWhateverItIsGiven() {
    var late = new ArrayList<String>();
    var idle = new TreeSet<String>();
    for (String operator : ExpressionOperators.TABLE.names()) {
      boolean worked = false;
      for (String form : NAMED.getOrDefault(operator, PLAIN)) {
        for (String kind : VALUES.keySet()) {
          var run = new Attempt(operator, form, kind);
          worked |= run.repeat();
          if (run.lateNanos > LATE_NANOS_MAX) {
            late.add(run + ": " + TimeUnit.NANOSECONDS.toMillis(run.lateNanos) + " ms late");
          }
        }
      }
      if (!worked && !TAKES_NOTHING_LARGE.contains(operator)) {
        idle.add(operator);
      }
    }
    assertThat(late).isEmpty();
    assertThat(idle).as("operators that no form of this test fits").isEmpty();
  }

  /** One operator in a loop, on one large value, until its time is up. */
  private static final class Attempt {
    private final String name;
    private final String text;
    private final String kind;
    private long lateNanos;

    Attempt(String operator, String form, String kind) {
      this.name = operator;
      this.text = "{" + operator + ": " + form.replace("#x", "'$$x'").replace("#y", "'$$y'") + "}";
      this.kind = kind;
    }

    /** Whether the operator took the value. */
    boolean repeat() {
      long start = System.nanoTime();
      var allowance =
          Allowance.of(
              () -> {
                if (System.nanoTime() - start > LIMIT_NANOS) {
                  throw new TimeIsUp();
                }
              });
      boolean works = false;
      try {
        works = allowance.grant(this::rounds);
      } catch (TimeIsUp e) {
        works = true;
      } catch (CommandException e) {
        assertThat(e.code()).as(toString()).isNotEqualTo(ErrorCode.INTERNAL_ERROR);
      }
      lateNanos = System.nanoTime() - start - LIMIT_NANOS;
      return works;
    }

    private boolean rounds() {
      ParseContext context =
          ParseContext.at(0)
              .withVariable("x")
              .withVariable("y")
              .withVariable("d")
              .withVariable("f");
      var scope = new Scope(new BsonDocument());
      scope.bind(context.slot("x"), VALUES.get(kind));
      scope.bind(context.slot("y"), OTHERS.get(kind));
      scope.bind(context.slot("d"), new BsonDateTime(0));
      scope.bind(context.slot("f"), new BsonString("%Y".repeat(50_000)));
      Expression expression = Expressions.parse(BsonDocument.parse(text), context).optimize();
      for (int i = 0; i < ROUNDS; i++) {
        expression.evaluate(scope);
      }
      return true;
    }

    @Override
    public String toString() {
      return text + " of " + kind + " (" + name + ")";
    }
  }
}
