package dev.orrery.language.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.FieldPath;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class EqualitiesTest {
  @Test
  void equalitiesBecomeTheFieldsOfAnUpsert() {
    assertThat(document("{a: 1, 'b.c': 2, 'b.d': {$eq: 3}, e: {$gt: 4}}"))
        .isEqualTo(BsonDocument.parse("{a: 1, b: {c: 2, d: 3}}"));
  }

  @Test
  void clausesOfAndCountAndOnesOfOrDoNot() {
    assertThat(document("{$and: [{a: 1}, {$and: [{b: 2}]}], $or: [{c: 3}, {d: 4}]}"))
        .isEqualTo(BsonDocument.parse("{a: 1, b: 2}"));
  }

  @Test
  void whatCanOnlyBeOneValueIsAnEquality() {
    assertThat(document("{a: {$in: [1]}, b: {$all: [2]}, $or: [{c: 3}], d: {$in: [4, 5]}}"))
        .isEqualTo(BsonDocument.parse("{a: 1, b: 2, c: 3}"));
  }

  @Test
  void samePathTwiceIsRefused() {
    assertThatThrownBy(() -> document("{$and: [{a: 1}, {a: 1}]}"))
        .isInstanceOfSatisfying(
            CommandException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_SINGLE_VALUE_FIELD))
        .hasMessage("cannot infer query fields to set, path 'a' is matched twice");
  }

  @Test
  void pathInsideAnotherIsRefused() {
    assertThatThrownBy(() -> document("{'a.b.c': 1, a: {b: 2}}"))
        .hasMessage("cannot infer query fields to set, both paths 'a.b.c' and 'a' are matched");
  }

  @Test
  void replacementKeepsOnlyItsImmutablePaths() {
    var filter = filter("{_id: 7, pk: 'x', other: 3}");
    assertThat(Equalities.document(filter, List.of("_id", "pk")))
        .isEqualTo(BsonDocument.parse("{_id: 7, pk: 'x'}"));
  }

  @Test
  void partOfAnImmutablePathIsRefused() {
    assertThatThrownBy(() -> Equalities.document(filter("{'_id.a': 7}"), List.of("_id")))
        .hasMessage("field at '_id' must be exactly specified, field at sub-path '_id.a'found");
  }

  @Test
  void equalityFixesAPath() {
    assertThat(fixed("{pk: 5, a: 1}")).containsExactly("5");
    assertThat(fixed("{pk: {$in: [5, 6]}}")).containsExactly("5", "6");
    assertThat(fixed("{$or: [{pk: 5}, {pk: 6, a: 1}]}")).containsExactlyInAnyOrder("5", "6");
    assertThat(fixed("{$and: [{a: 1}, {pk: 5}]}")).containsExactly("5");
  }

  @Test
  void twoConditionsLeaveWhatBothAllow() {
    assertThat(fixed("{$and: [{pk: 5}, {pk: 6}]}")).isEmpty();
    assertThat(fixed("{$and: [{pk: {$in: [4, 5, 6]}}, {pk: {$in: [6, 5, 7]}}]}"))
        .containsExactly("5", "6");
    assertThat(fixed("{$and: [{pk: 5}, {pk: {$numberDouble: '5'}}]}")).containsExactly("5");
    assertThat(fixed("{$and: [{pk: 5}, {pk: {$gt: 6}}]}")).containsExactly("5");
    assertThat(fixed("{$or: [{pk: 4}, {$and: [{pk: 5}, {pk: 6}]}]}")).containsExactly("4");
  }

  @Test
  void otherConditionsLeaveAPathOpen() {
    assertThat(fixed("{a: 1}")).isNull();
    assertThat(fixed("{pk: {$gt: 5}}")).isNull();
    assertThat(fixed("{pk: {$ne: 5}}")).isNull();
    assertThat(fixed("{$or: [{pk: 5}, {a: 1}]}")).isNull();
    assertThat(fixed("{pk: {$in: [5, /x/]}}")).isNull();
    assertThat(fixed("{'pk.a': 5}")).isNull();
  }

  @Test
  void collationLeavesTextOpenButNotNumbers() {
    var context =
        FilterContext.DEFAULT.withOrder(
            Collation.parse(BsonDocument.parse("{locale: 'en', strength: 1}")).order());
    var path = FieldPath.parse("pk");
    assertThat(Equalities.fixedValues(FilterParser.parse(json("{pk: 'x'}"), context), path))
        .isNull();
    assertThat(Equalities.fixedValues(FilterParser.parse(json("{pk: 5}"), context), path))
        .hasSize(1);
  }

  private static List<String> fixed(String filter) {
    var values = Equalities.fixedValues(filter(filter), FieldPath.parse("pk"));
    return values == null
        ? null
        : values.stream().map(value -> "" + value.toBsonValue().asInt32().getValue()).toList();
  }

  private static BsonDocument document(String filter) {
    return Equalities.document(filter(filter));
  }

  private static Filter filter(String json) {
    return FilterParser.parse(json(json));
  }

  private static BsonDocument json(String json) {
    return BsonDocument.parse(json);
  }
}
