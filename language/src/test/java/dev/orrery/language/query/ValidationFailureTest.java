package dev.orrery.language.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.RawDocument;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class ValidationFailureTest {
  @Test
  void singleClauseExplainsItself() {
    assertThat(explain("{a: {$gt: 5}}", "{a: 1}"))
        .isEqualTo(
            json(
                """
                {operatorName: '$gt', specifiedAs: {a: {$gt: 5}}, reason: 'comparison failed',
                 consideredValue: 1}"""));
  }

  @Test
  void missingFieldIsTheReason() {
    assertThat(explain("{a: 5}", "{}"))
        .isEqualTo(json("{operatorName: '$eq', specifiedAs: {a: 5}, reason: 'field was missing'}"));
  }

  @Test
  void valuesOfAnArrayAreListed() {
    assertThat(explain("{a: 5}", "{a: [1, 2]}"))
        .isEqualTo(
            json(
                """
                {operatorName: '$eq', specifiedAs: {a: 5}, reason: 'comparison failed',
                 consideredValues: [1, 2]}"""));
  }

  @Test
  void otherTypeIsTheReason() {
    assertThat(explain("{a: {$size: 2}}", "{a: 'x'}"))
        .isEqualTo(
            json(
                """
                {operatorName: '$size', specifiedAs: {a: {$size: 2}}, reason: 'type did not match',
                 consideredType: 'string', expectedType: 'array', consideredValue: 'x'}"""));
  }

  @Test
  void onlyTheFailingClausesAreExplained() {
    assertThat(explain("{a: 1, b: 2}", "{a: 1, b: 3}"))
        .isEqualTo(
            json(
                """
                {operatorName: '$and', clausesNotSatisfied: [{index: {$numberLong: '1'}, details:
                 {operatorName: '$eq', specifiedAs: {b: 2}, reason: 'comparison failed',
                  consideredValue: 3}}]}"""));
  }

  @Test
  void negationTellsWhatHeld() {
    assertThat(explain("{a: {$ne: 1}}", "{a: 1}"))
        .isEqualTo(
            json(
                """
                {operatorName: '$ne', specifiedAs: {a: {$ne: 1}}, reason: 'comparison succeeded',
                 consideredValue: 1}"""));
    assertThat(explain("{$nor: [{a: 1}]}", "{a: 1}"))
        .isEqualTo(
            json(
                """
                {operatorName: '$nor', clausesSatisfied: [{index: {$numberLong: '0'}, details:
                 {operatorName: '$eq', specifiedAs: {a: 1}, reason: 'comparison succeeded',
                  consideredValue: 1}}]}"""));
  }

  @Test
  void schemaTellsEveryRuleThatFailed() {
    var failure =
        explain(
            """
            {$jsonSchema: {required: ['x'], properties: {a: {title: 'A', minLength: 3},
              l: {items: {bsonType: 'int'}}}, additionalProperties: false}}""",
            "{a: 'xy', l: [1, 'z'], more: 1}");
    assertThat(failure)
        .isEqualTo(
            json(
                """
                {operatorName: '$jsonSchema', schemaRulesNotSatisfied: [
                  {operatorName: 'properties', propertiesNotSatisfied: [
                    {propertyName: 'a', title: 'A', details: [
                      {operatorName: 'minLength', specifiedAs: {minLength: 3},
                       reason: 'specified string length was not satisfied',
                       consideredValue: 'xy'}]},
                    {propertyName: 'l', details: [
                      {operatorName: 'items',
                       reason: 'At least one item did not match the sub-schema',
                       itemIndex: {$numberLong: '1'}, details: [
                         {operatorName: 'bsonType', specifiedAs: {bsonType: 'int'},
                          reason: 'type did not match', consideredValue: 'z',
                          consideredType: 'string'}]}]}]},
                  {operatorName: 'additionalProperties',
                   specifiedAs: {additionalProperties: false}, additionalProperties: ['more']},
                  {operatorName: 'required', specifiedAs: {required: ['x']},
                   missingProperties: ['x']}]}"""));
  }

  private static BsonDocument explain(String validator, String document) {
    return ValidationFailure.explain(
        RawDocument.of(json(validator)), RawDocument.of(json(document)), FilterContext.DEFAULT);
  }

  private static BsonDocument json(String json) {
    return BsonDocument.parse(json);
  }
}
