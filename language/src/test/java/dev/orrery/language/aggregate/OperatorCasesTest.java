package dev.orrery.language.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.aggregate.accumulator.Accumulators;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.window.WindowFunctions;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.limit.HeapSpills;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The cases of {@code cases/expression} and {@code cases/aggregate}: what an operator gives for the
 * shared documents there, or its {@code error} with code and words.
 */
class OperatorCasesTest {
  private static final Namespace NAMESPACE = new Namespace("db", "c");
  private static final Set<String> KINDS = Set.of("plain", "null", "missing", "wrongType", "edge");
  private static final MathContext DIGITS = new MathContext(14);
  private static final List<String> EXPRESSIONS =
      List.of(
          "arithmetic",
          "array",
          "bitwise",
          "boolean",
          "comparison",
          "conditional",
          "date",
          "misc",
          "object",
          "set",
          "string",
          "summary",
          "trigonometry",
          "type");

  private final HeapSpills temporary = new HeapSpills();

  private static String text(String file) {
    try (InputStream in = OperatorCasesTest.class.getResourceAsStream("/cases/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<BsonDocument> documents(String file) {
    return BsonArray.parse(text(file)).stream().map(BsonValue::asDocument).toList();
  }

  @ParameterizedTest
  @FieldSource("EXPRESSIONS")
  void expressionsGive(String family) {
    List<BsonDocument> data = List.of(BsonDocument.parse(text("expression/document.json")));
    assertAll(
        documents("expression/" + family + ".json"),
        data,
        one ->
            new BsonDocument(
                "$project",
                new BsonDocument("_id", new BsonInt32(0)).append("r", one.get("expression"))));
  }

  @Test
  void accumulatorsGive() {
    assertAll(
        documents("aggregate/accumulators.json"),
        documents("aggregate/documents.json"),
        one ->
            new BsonDocument(
                "$group",
                new BsonDocument("_id", BsonNull.VALUE).append("r", one.get("argument"))));
  }

  @Test
  void windowFunctionsGive() {
    assertAll(
        documents("aggregate/windows.json"),
        documents("aggregate/documents.json"),
        one ->
            new BsonDocument(
                "$setWindowFields",
                new BsonDocument("sortBy", new BsonDocument("_id", new BsonInt32(1)))
                    .append("output", new BsonDocument("r", one.get("argument")))));
  }

  @Test
  void everyOperatorHasCasesOfEveryKind() {
    Map<String, Set<String>> kinds = new HashMap<>();
    for (String family : EXPRESSIONS) {
      note(documents("expression/" + family + ".json"), kinds);
    }
    assertThat(kinds.keySet()).containsAll(Expressions.operators());
    assertThat(kinds).allSatisfy((name, all) -> assertThat(all).as(name).isEqualTo(KINDS));
    Map<String, Set<String>> accumulators = new HashMap<>();
    note(documents("aggregate/accumulators.json"), accumulators);
    assertThat(accumulators.keySet()).isEqualTo(Accumulators.names());
    assertThat(accumulators).allSatisfy((name, all) -> assertThat(all).as(name).isEqualTo(KINDS));
    Map<String, Set<String>> windows = new HashMap<>();
    note(documents("aggregate/windows.json"), windows);
    assertThat(windows.keySet()).containsAll(WindowFunctions.names());
    assertThat(windows).allSatisfy((name, all) -> assertThat(all).as(name).isEqualTo(KINDS));
  }

  private static void note(List<BsonDocument> cases, Map<String, Set<String>> kinds) {
    for (BsonDocument one : cases) {
      kinds
          .computeIfAbsent(one.getString("operator").getValue(), name -> new HashSet<>())
          .add(one.getString("case").getValue());
    }
  }

  /** Makes the stage of a case. */
  private interface StageOf {
    BsonDocument apply(BsonDocument one);
  }

  private void assertAll(List<BsonDocument> cases, List<BsonDocument> data, StageOf stageOf) {
    var different = new ArrayList<String>();
    for (BsonDocument one : cases) {
      BsonValue actual = rounded(answer(stageOf.apply(one), data));
      BsonValue expected = rounded(expected(one));
      if (!actual.equals(expected)) {
        different.add(one.toJson() + "\n  but was " + actual);
      }
    }
    assertThat(different).as("%d differ", different.size()).isEmpty();
  }

  /** A list of what the field has in each document, "missing" if nothing; or code and words. */
  private static BsonArray expected(BsonDocument one) {
    if (one.containsKey("error")) {
      return one.getArray("error");
    }
    if (one.containsKey("values")) {
      return one.getArray("values");
    }
    return new BsonArray(
        List.of(one.containsKey("missing") ? new BsonString("missing") : one.get("value")));
  }

  private BsonArray answer(BsonDocument stage, List<BsonDocument> data) {
    var collections = new MemoryCollections();
    collections.put(NAMESPACE, data);
    var values = new BsonArray();
    try {
      var spill = new PipelineRun.Spill(temporary, true);
      for (BsonDocument result : collections.run(NAMESPACE, List.of(stage), spill)) {
        BsonValue value = result.get("r");
        values.add(value == null ? new BsonString("missing") : value);
      }
      return values;
    } catch (CommandException e) {
      return new BsonArray(
          List.of(new BsonInt32(e.code().number()), new BsonString(e.getMessage())));
    }
  }

  /** Doubles to fourteen digits: maths libraries may differ in the last ones. */
  private static BsonValue rounded(BsonValue value) {
    if (value.isArray()) {
      return new BsonArray(value.asArray().stream().map(OperatorCasesTest::rounded).toList());
    }
    if (value.isDouble() && Double.isFinite(value.asDouble().getValue())) {
      double number = value.asDouble().getValue();
      boolean isNegativeZero = number == 0 && 1 / number < 0;
      return isNegativeZero
          ? value
          : new BsonDouble(new BigDecimal(number).round(DIGITS).doubleValue());
    }
    return value;
  }
}
