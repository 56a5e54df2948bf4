package dev.orrery.language.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.CommandException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/** Whatever an operator is given, it answers with a value or with an error of MongoDB's. */
class OperatorRobustnessTest {
  private final BsonDocument document = RecordedCases.document("vals");
  private final List<String> failures = new ArrayList<>();

  private BsonString path(String field) {
    return new BsonString("$" + field);
  }

  private void check(BsonDocument expression) {
    try {
      Expressions.parse(expression, ParseContext.at(0)).optimize().evaluate(new Scope(document));
    } catch (CommandException e) {
      // An error that the user is told about.
    } catch (RuntimeException e) {
      failures.add(expression.toJson() + " " + e);
    }
  }

  private List<String> fields() {
    var fields = new ArrayList<>(document.keySet());
    fields.add("nope");
    return fields;
  }

  @Test
  void everyOperatorTakesOrRefusesOneOperandOfEveryType() {
    for (String operator : ExpressionOperators.TABLE.names()) {
      for (String field : fields()) {
        check(new BsonDocument(operator, path(field)));
        if (document.containsKey(field)) {
          BsonValue literal = new BsonDocument("$literal", document.get(field));
          check(new BsonDocument(operator, literal));
          check(new BsonDocument(operator, document.get(field)));
        }
      }
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void everyOperatorTakesOrRefusesTwoAndThreeOperands() {
    List<String> some =
        List.of(
            "int", "lmin", "nan", "ninf", "decinf", "decbig", "str", "empty", "obj", "earr",
            "nested", "oid", "date", "nil", "ts", "min", "nope", "re", "dec");
    for (String operator : ExpressionOperators.TABLE.names()) {
      for (String left : some) {
        for (String right : some) {
          var two = new BsonArray(List.of(path(left), path(right)));
          check(new BsonDocument(operator, two));
          var three = new BsonArray(List.of(path(left), path(right), path("two")));
          check(new BsonDocument(operator, three));
        }
      }
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void operatorsWithNamedArgumentsTakeOrRefuseEveryType() {
    List<String> templates =
        List.of(
            "{$convert: {input: X, to: 'int'}}",
            "{$convert: {input: 'a', to: X}}",
            "{$dateAdd: {startDate: '$date', unit: 'month', amount: X}}",
            "{$dateAdd: {startDate: X, unit: 'day', amount: 1, timezone: 'Asia/Tokyo'}}",
            "{$dateDiff: {startDate: X, endDate: '$date', unit: 'week'}}",
            "{$dateDiff: {startDate: '$dateold', endDate: '$date', unit: X}}",
            "{$dateFromParts: {year: 2020, month: X, day: X}}",
            "{$dateFromParts: {isoWeekYear: X, isoWeek: 5}}",
            "{$dateFromString: {dateString: X}}",
            "{$dateFromString: {dateString: '2020', format: X}}",
            "{$dateToParts: {date: X, timezone: X, iso8601: X}}",
            "{$dateToString: {date: X, format: '%G-%V %j %Z'}}",
            "{$dateTrunc: {date: X, unit: 'quarter', binSize: 3}}",
            "{$dateTrunc: {date: '$date', unit: 'hour', binSize: X}}",
            "{$filter: {input: X, cond: '$$this.a', limit: X}}",
            "{$firstN: {n: X, input: '$arr'}}",
            "{$getField: {field: 'a', input: X}}",
            "{$map: {input: X, in: {$add: ['$$this', 1]}}}",
            "{$median: {input: X, method: 'approximate'}}",
            "{$percentile: {input: '$arr', p: X, method: 'approximate'}}",
            "{$reduce: {input: X, initialValue: X, in: '$$value'}}",
            "{$regexFindAll: {input: X, regex: X}}",
            "{$regexFind: {input: '$str', regex: X, options: X}}",
            "{$replaceAll: {input: X, find: X, replacement: X}}",
            "{$setField: {field: 'a', input: X, value: X}}",
            "{$sortArray: {input: X, sortBy: {a: 1, 'b.0': -1}}}",
            "{$sortArray: {input: X, sortBy: 1}}",
            "{$trim: {input: X, chars: X}}",
            "{$zip: {inputs: [X, '$arr'], useLongestLength: true, defaults: [X, X]}}");
    for (String template : templates) {
      for (String field : fields()) {
        check(BsonDocument.parse(template.replace("X", "'$" + field + "'")));
      }
    }
    assertThat(failures).isEmpty();
  }
}
