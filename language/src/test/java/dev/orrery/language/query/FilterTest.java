package dev.orrery.language.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

class FilterTest {
  @Test
  void plannerReadsPathOperatorAndOperand() {
    var and = (Filter.And) FilterParser.parse(json("{'a.b': {$gt: 5}, c: 'x'}"));
    var range = (Filter.Field) and.children().get(1); // equalities come first
    var comparison = (Comparison) range.predicate();
    assertThat(range.path().dotted()).isEqualTo("a.b");
    assertThat(comparison.operator()).isEqualTo(Comparison.Operator.GREATER);
    assertThat(comparison.operand().asInt32()).isEqualTo(5);
  }

  @Test
  void emptyFilterMatchesEverything() {
    assertThat(FilterParser.parse(json("{}"))).isEqualTo(Filter.ALL);
  }

  @Test
  void operandsOfInAreSortedAndDistinct() {
    var field = (Filter.Field) FilterParser.parse(json("{a: {$in: [3, 1.0, 1, 2]}}"));
    assertThat(((In) field.predicate()).operands())
        .extracting(value -> value.toBsonValue().asNumber().intValue())
        .containsExactly(1, 2, 3);
  }

  @Test
  void fieldWrittenTwiceMustMatchTwice() {
    var encoder = new BsonEncoder(64);
    int start = encoder.startDocument();
    encoder.writeElement("a", new BsonInt32(1));
    encoder.writeElement("a", new BsonInt32(2));
    encoder.endDocument(start);
    var filter = FilterParser.parse(RawDocument.wrap(encoder.toByteArray()));
    assertThat(filter.matches(raw("{a: [1, 2]}"))).isTrue();
    assertThat(filter.matches(raw("{a: 2}"))).isFalse();
  }

  @Test
  void matchTellsThePositionInTheOutermostArray() {
    assertThat(position("{a: 7}", "{a: [5, 7]}")).isEqualTo(1);
    assertThat(position("{'a.b': 7}", "{a: [{b: 1}, {b: [6, 7]}]}")).isEqualTo(1);
    assertThat(position("{a: {$elemMatch: {$gt: 6}}}", "{a: [5, 6, 7]}")).isEqualTo(2);
    assertThat(position("{'a.2': 7}", "{a: [5, 6, 7]}")).isEqualTo(-1); // it is named already
    assertThat(position("{b: 1, a: 7}", "{b: 1, a: [5, 7]}")).isEqualTo(1);
    assertThat(position("{a: 7}", "{a: 7}")).isEqualTo(-1);
    assertThat(position("{a: {$ne: 1}}", "{a: [5, 7]}")).isEqualTo(-1);
  }

  @Test
  void failedConjunctionForgetsThePosition() {
    assertThat(position("{$or: [{a: 7, b: 2}, {b: 1}]}", "{a: [5, 7], b: 1}")).isEqualTo(-1);
  }

  @Test
  void singleValuesAreMatchedWithoutTheirPath() {
    var filter = FilterParser.parse(json("{x: {$gt: 3, $not: {$mod: [2, 0]}}}"));
    assertThat(filter.matchesValue(RawValue.of(new BsonInt32(5)))).isTrue();
    assertThat(filter.matchesValue(RawValue.of(new BsonInt32(4)))).isFalse();
    var array = new BsonArray(List.of(new BsonInt32(5)));
    assertThat(filter.matchesValue(RawValue.of(array))).isFalse();
  }

  @Test
  void expressionsSeeVariables() {
    var variables = ParseContext.at(0).withConstant("limit", new BsonInt32(3));
    var filter =
        FilterParser.parse(
            json("{$expr: {$add: ['$a', {$multiply: ['$$limit', -1]}]}}"),
            FilterContext.of(variables));
    assertThat(filter.matches(raw("{a: 4}"))).isTrue();
    assertThat(filter.matches(raw("{a: 3}"))).isFalse();
  }

  @Test
  void placesMayForbidOperators() {
    var context = FilterContext.DEFAULT.allowing(Set.of());
    assertThatThrownBy(() -> FilterParser.parse(json("{$expr: true}"), context))
        .isInstanceOfSatisfying(
            CommandException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.QUERY_FEATURE_NOT_ALLOWED))
        .hasMessage("$expr is not allowed in this context");
    assertThatThrownBy(() -> FilterParser.parse(json("{$text: {}}"), context))
        .hasMessage("$text is not allowed in this context");
  }

  @Test
  void pathsHaveALimit() {
    assertThat(FilterParser.parse(new BsonDocument("a" + ".a".repeat(179), new BsonInt32(1))))
        .isNotNull();
    var tooLong = new BsonDocument("a" + ".a".repeat(180), new BsonInt32(1));
    assertThatThrownBy(() -> FilterParser.parse(tooLong)).hasMessage("FieldPath is too long");
  }

  @Test
  void deepFiltersAndDocumentsAreMatched() {
    BsonValue value = new BsonInt32(1);
    var filter = new BsonDocument("x", value);
    for (int i = 0; i < 90; i++) {
      value = new BsonArray(List.of(new BsonDocument("x", value)));
      filter = new BsonDocument("$nor", new BsonArray(List.of(filter)));
    }
    var document = RawDocument.of(new BsonDocument("x", value));
    String path = "x" + ".x".repeat(90);
    assertThat(FilterParser.parse(new BsonDocument(path, new BsonInt32(1))).matches(document))
        .isTrue();
    assertThat(FilterParser.parse(filter).matches(raw("{x: 1}"))).isTrue();
  }

  @Test
  void longArraysAndListsAreMatched() {
    var numbers = new BsonArray();
    for (int i = 0; i < 100_000; i++) {
      numbers.add(new BsonInt32(i));
    }
    var document = RawDocument.of(new BsonDocument("a", numbers));
    var in = new BsonDocument("a", new BsonDocument("$in", numbers));
    assertThat(FilterParser.parse(json("{a: 99999}")).matches(document)).isTrue();
    assertThat(FilterParser.parse(json("{a: {$size: 100000}}")).matches(document)).isTrue();
    assertThat(FilterParser.parse(json("{'a.99999': 99999}")).matches(document)).isTrue();
    assertThat(FilterParser.parse(in).matches(raw("{a: [-1, 99999]}"))).isTrue();
    assertThat(JsonSchema.parse(raw("{properties: {a: {uniqueItems: true}}}")).test(document))
        .isTrue();
  }

  @Test
  void equalitiesWithOnePathAreAnIn() {
    var field = (Filter.Field) FilterParser.parse(json("{$or: [{a: 5}, {a: 4}]}"));
    assertThat(((In) field.predicate()).operands()).hasSize(2);
    assertThat(position("{$or: [{a: 5}, {a: 4}]}", "{a: [3, 4, 5]}")).isEqualTo(1);
  }

  @Test
  void filterIsWrittenAsExplainPrintsIt() {
    assertThat(written("{}")).isEqualTo("{}");
    assertThat(written("{b: {$gt: 1}, a: 5}"))
        .isEqualTo("{'$and': [{'a': {'$eq': 5}}, {'b': {'$gt': 1}}]}");
    assertThat(written("{a: {$ne: 5}}")).isEqualTo("{'a': {'$not': {'$eq': 5}}}");
    assertThat(written("{a: {$in: [2, 1]}}")).isEqualTo("{'a': {'$in': [1, 2]}}");
    assertThat(written("{$or: [{a: 1}, {b: {$exists: false}}]}"))
        .isEqualTo("{'$or': [{'a': {'$eq': 1}}, {'b': {'$not': {'$exists': true}}}]}");
    assertThat(written("{a: {$elemMatch: {$gt: 1, $lt: 5}}}"))
        .isEqualTo("{'a': {'$elemMatch': {'$lt': 5, '$gt': 1}}}");
    assertThat(written("{a: {$elemMatch: {b: 1}}, c: {$size: 2}}"))
        .isEqualTo("{'$and': [{'a': {'$elemMatch': {'b': {'$eq': 1}}}}, {'c': {'$size': 2}}]}");
    assertThat(written("{a: {$bitsAnyClear: 5}}")).isEqualTo("{'a': {'$bitsAnyClear': [0, 2]}}");
    assertThat(written("{a: {$type: 'string'}}")).isEqualTo("{'a': {'$type': [2]}}");
    assertThat(written("{$alwaysFalse: 1}")).isEqualTo("{'$alwaysFalse': 1}");
  }

  @Test
  void missingValueHasNoType() {
    assertThat(TypeSet.of(RawTypes.NULL).contains(null)).isFalse();
  }

  private static int position(String filter, String document) {
    var details = new MatchDetails();
    assertThat(FilterParser.parse(json(filter)).matches(raw(document), details)).isTrue();
    return details.arrayIndex();
  }

  private static String written(String filter) {
    return FilterParser.parse(json(filter)).document().toJson().replace('"', '\'');
  }

  private static RawDocument raw(String json) {
    return RawDocument.of(json(json));
  }

  private static BsonDocument json(String json) {
    return BsonDocument.parse(json);
  }
}
