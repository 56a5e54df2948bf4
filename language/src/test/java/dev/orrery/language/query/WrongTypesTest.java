package dev.orrery.language.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every operator with an argument of every BSON type. */
class WrongTypesTest {
  private static final BsonDocument DOCUMENT =
      new BsonDocument("_id", new BsonInt32(1)).append("v", new BsonInt32(1));

  @TestFactory
  Stream<DynamicTest> everyType() {
    var samples = TypedCases.samples();
    return cases().map(test -> DynamicTest.dynamicTest(name(test), () -> check(test, samples)));
  }

  private static Stream<BsonDocument> cases() {
    return TypedCases.load("query/types").getArray("cases").stream().map(BsonValue::asDocument);
  }

  private static String name(BsonDocument test) {
    return test.getString("operator").getValue() + " in " + test.getDocument("find").toJson();
  }

  private static void check(BsonDocument test, List<TypedCases.Sample> samples) {
    assertThat(samples)
        .allSatisfy(
            sample -> {
              var find = sample.into(test.getDocument("find")).asDocument();
              var answer = new FindOnClasses(List.of(DOCUMENT)).answer(find);
              assertThat(TypedCases.errorOf(answer))
                  .as(sample.type())
                  .isEqualTo(sample.error(test));
            });
  }

  @Test
  void thereIsASampleOfEveryType() {
    assertThat(TypedCases.samples().stream().map(sample -> sample.value().getBsonType()))
        .doesNotHaveDuplicates()
        .hasSize(BsonType.values().length - 1); // the end of a document is none
  }

  @Test
  void everyOperatorIsTried() {
    Set<String> tried =
        cases().map(test -> test.getString("operator").getValue()).collect(Collectors.toSet());
    var operators = new TreeSet<>(QueryCasesTest.everything());
    operators.removeAll(GeoFilters.OPERATORS.keySet());
    assertThat(tried).isEqualTo(operators);
  }

  @Test
  void everyKeywordOfASchemaIsTried() {
    var schemas = cases().map(test -> test.getDocument("find").toJson()).toList();
    var keywords = new TreeSet<>(JsonSchemaParser.SUPPORTED);
    keywords.removeAll(Set.of("encrypt", "encryptMetadata")); // refused whatever they hold
    assertThat(keywords)
        .allSatisfy(
            keyword ->
                assertThat(schemas).anySatisfy(find -> assertThat(find).contains(tried(keyword))));
  }

  private static String tried(String keyword) {
    return "\"" + keyword + "\": \"?\"";
  }
}
