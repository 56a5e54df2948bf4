package dev.orrery.language.update;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.TypeSample;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The cases of {@code cases/update}: a document {@code before} and {@code after} an update, a
 * document {@code inserted}, or an {@code error} with its code and words. In {@code types} a case
 * is run with a value of every BSON type, of which it {@code accepts} some.
 */
class UpdateCasesTest {
  private static final JsonWriterSettings CANONICAL =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();
  private static final Set<String> KINDS = Set.of("plain", "path", "array", "wrongType", "edge");

  /** What an update is made of besides its operators. */
  private static final Set<String> FORMS =
      Set.of("$", "$[]", "$[identifier]", "replacement", "pipeline", "upsert", "$addToSet.$each");

  @Test
  void everyOperatorHasCasesOfEveryKind() {
    Map<String, Set<String>> kinds = new HashMap<>();
    for (BsonDocument one : TypeSample.cases("update/operators.json")) {
      note(kinds, one, one.getString("case").getValue());
    }
    TypeSample.cases("update/types.json").forEach(one -> note(kinds, one, "wrongType"));
    var required = new HashSet<>(UpdateOperators.TABLE.names());
    required.addAll(FORMS);
    Push.CLAUSES.forEach(clause -> required.add("$push." + clause));
    for (String operator : required) {
      assertThat(kinds.get(operator)).as(operator).isEqualTo(KINDS);
    }
  }

  private static void note(Map<String, Set<String>> kinds, BsonDocument one, String kind) {
    String operator = one.getString("operator").getValue();
    kinds.computeIfAbsent(operator, name -> new HashSet<>()).add(kind);
  }

  @Test
  void everyCaseHasANameOfItsOwn() {
    var names = new ArrayList<String>();
    for (String file : List.of("field", "array", "positional", "whole", "upsert", "operators")) {
      TypeSample.cases("update/" + file + ".json")
          .forEach(one -> names.add(one.getString("name").getValue()));
    }
    assertThat(names).doesNotHaveDuplicates();
  }

  @TestFactory
  Stream<DynamicTest> operators() {
    return tests("operators");
  }

  @TestFactory
  Stream<DynamicTest> everyWrongType() {
    List<TypeSample> samples = TypeSample.all();
    return TypeSample.cases("update/types.json").stream()
        .map(one -> DynamicTest.dynamicTest(typeTestName(one), () -> runTypes(one, samples)));
  }

  private static String typeTestName(BsonDocument one) {
    return one.getString("operator").getValue() + ' ' + one.getString("of").getValue();
  }

  private static void runTypes(BsonDocument one, List<TypeSample> samples) {
    List<String> accepted =
        one.getArray("accepts").stream().map(type -> type.asString().getValue()).toList();
    for (TypeSample sample : samples) {
      BsonDocument filled = sample.fill(one);
      List<BsonDocument> before = List.of(filled.getDocument("before"));
      var collection = new TinyCollection(before, "");
      BsonArray error = one.getArray("error").clone();
      error.set(1, new BsonString(sample.words(error.get(1).asString().getValue())));
      BsonArray actual = error(collection, statement(filled));
      if (accepted.contains(sample.type())) {
        assertThat(actual).as(sample.type()).isNotEqualTo(error);
      } else {
        assertThat(actual).as(sample.type()).isEqualTo(error);
        assertThat(json(collection.documents())).as(sample.type()).isEqualTo(json(before));
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> fieldOperators() {
    return tests("field");
  }

  @TestFactory
  Stream<DynamicTest> arrayOperators() {
    return tests("array");
  }

  @TestFactory
  Stream<DynamicTest> positions() {
    return tests("positional");
  }

  @TestFactory
  Stream<DynamicTest> replacementsAndPipelines() {
    return tests("whole");
  }

  @TestFactory
  Stream<DynamicTest> upserts() {
    return tests("upsert");
  }

  private static Stream<DynamicTest> tests(String file) {
    return TypeSample.cases("update/" + file + ".json").stream()
        .map(one -> DynamicTest.dynamicTest(one.getString("name").getValue(), () -> run(one)));
  }

  private static void run(BsonDocument one) {
    List<BsonDocument> before =
        one.containsKey("before") ? List.of(one.getDocument("before")) : List.of();
    var collection = new TinyCollection(before, "");
    var statement = statement(one);
    if (one.containsKey("error")) {
      assertThat(error(collection, statement)).isEqualTo(one.getArray("error"));
      assertThat(json(collection.documents())).isEqualTo(json(before));
      return;
    }
    var outcome = collection.update(statement, new BsonDocument());
    if (one.containsKey("inserted")) {
      assertThat(json(collection.documents()))
          .isEqualTo(json(List.of(one.getDocument("inserted"))));
      return;
    }
    var expected = one.containsKey("after") ? one.getDocument("after") : one.getDocument("before");
    assertThat(json(collection.documents())).isEqualTo(json(List.of(expected)));
    assertThat(outcome.modified())
        .isEqualTo(one.getInt32("nModified", new BsonInt32(1)).getValue());
  }

  private static BsonDocument statement(BsonDocument one) {
    var statement =
        new BsonDocument("q", one.getDocument("q", new BsonDocument())).append("u", one.get("u"));
    for (String option : List.of("arrayFilters", "c", "upsert")) {
      if (one.containsKey(option)) {
        statement.append(option, one.get(option));
      }
    }
    if (!one.containsKey("before")) {
      statement.append("upsert", BsonBoolean.TRUE);
    }
    return statement;
  }

  private static BsonArray error(TinyCollection collection, BsonDocument statement) {
    try {
      collection.update(statement, new BsonDocument());
    } catch (CommandException e) {
      return new BsonArray(
          List.of(new BsonInt32(e.code().number()), new BsonString(e.getMessage())));
    }
    return new BsonArray();
  }

  private static List<String> json(List<BsonDocument> documents) {
    return documents.stream().map(document -> document.toJson(CANONICAL)).toList();
  }
}
