package dev.orrery.language.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.number.Numbers;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every recorded expression, evaluated on its document, gives MongoDB's value or error. */
class RecordedExpressionsTest {
  private static final MathContext DIGITS = new MathContext(12);

  private final BsonDocument document = RecordedCases.document("vals");

  @ParameterizedTest
  @ValueSource(strings = {"expr-arith", "expr-array", "expr-convert", "expr-date", "expr-string"})
  void expressionsAnswerAsRecorded(String area) {
    var different = new ArrayList<String>();
    for (RecordedCases.Case recorded : RecordedCases.read(area)) {
      if (isProjection(recorded.expression())) {
        continue;
      }
      BsonDocument expected = expected(recorded);
      BsonDocument actual = normal(recorded, answer(recorded.expression()));
      if (!actual.equals(expected)) {
        different.add(
            recorded.name()
                + "\n  expected "
                + expected.toJson()
                + "\n  but was  "
                + actual.toJson());
      }
    }
    assertThat(different).as("%d differ", different.size()).isEmpty();
  }

  /** Inclusions, exclusions and nested projections belong to $project. */
  private static boolean isProjection(BsonValue value) {
    return value.isNumber()
        || value.isBoolean()
        || value.isDocument()
            && (value.asDocument().isEmpty() || !value.asDocument().getFirstKey().startsWith("$"));
  }

  private BsonDocument answer(BsonValue value) {
    String prefix = "Invalid $project :: caused by :: ";
    try {
      Expression expression = Expressions.parse(value, ParseContext.at(0));
      prefix = "";
      Dependencies.of(expression).requireMetadata(Set.of());
      prefix = "Failed to optimize pipeline :: caused by :: ";
      Expression optimized = expression.optimize();
      prefix = "PlanExecutor error during aggregation :: caused by :: ";
      BsonValue result = optimized.evaluate(new Scope(document));
      return result == null ? new BsonDocument() : new BsonDocument("r", result);
    } catch (CommandException e) {
      return error(e.code().number(), prefix + e.getMessage());
    } catch (RuntimeException e) {
      return new BsonDocument("bug", new BsonString(e.toString()));
    }
  }

  private static BsonDocument error(int code, String message) {
    return new BsonDocument("code", new BsonInt32(code)).append("errmsg", new BsonString(message));
  }

  private static BsonDocument expected(RecordedCases.Case recorded) {
    BsonDocument reply = recorded.reply();
    if (recorded.isError()) {
      return error(reply.getInt32("code").getValue(), reply.getString("errmsg").getValue());
    }
    return reply.getDocument("cursor").getArray("firstBatch").get(0).asDocument();
  }

  private static BsonDocument normal(RecordedCases.Case recorded, BsonDocument answer) {
    BsonValue result = answer.get("r");
    if (result == null) {
      return answer;
    }
    BsonDocument flags = recorded.flags();
    if (flags.containsKey("approx")) {
      result = rounded(result);
    }
    if (flags.containsKey("unordered")) {
      result = sorted(result);
    }
    return new BsonDocument("r", result);
  }

  /** Numbers to twelve digits, as the recording has them where maths libraries may differ. */
  private static BsonValue rounded(BsonValue value) {
    if (value.isArray()) {
      return new BsonArray(value.asArray().stream().map(v -> rounded(v)).toList());
    }
    if (value.isDouble() && Double.isFinite(value.asDouble().getValue())) {
      double number = value.asDouble().getValue();
      return new BsonDouble(
          Math.abs(number) < 1e-15 ? 0 : new BigDecimal(number).round(DIGITS).doubleValue());
    }
    if (value.isDecimal128() && value.asDecimal128().getValue().isFinite()) {
      double number = Numbers.toDouble(value);
      BigDecimal digits = new BigDecimal(number).round(DIGITS).stripTrailingZeros();
      return new BsonDecimal128(new Decimal128(new BigDecimal(digits.toPlainString())));
    }
    return value;
  }

  private static BsonValue sorted(BsonValue value) {
    if (!value.isArray()) {
      return value;
    }
    List<BsonValue> elements = new ArrayList<>();
    value.asArray().forEach(element -> elements.add(sorted(element)));
    elements.sort(Comparator.comparing(RecordedExpressionsTest::text));
    return new BsonArray(elements);
  }

  private static String text(BsonValue value) {
    String json = new BsonDocument("v", value).toJson();
    return json.substring(6);
  }
}
