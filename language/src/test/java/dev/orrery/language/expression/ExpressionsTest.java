package dev.orrery.language.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

class ExpressionsTest {
  private static final ParseContext CONTEXT = ParseContext.at(0);

  private static Expression parse(String json) {
    return Expressions.parse(BsonDocument.parse("{v: " + json + "}").get("v"), CONTEXT);
  }

  private static BsonValue evaluate(String json, String document) {
    return parse(json).evaluate(new Scope(BsonDocument.parse(document)));
  }

  private static BsonValue value(String json) {
    return BsonDocument.parse("{v: " + json + "}").get("v");
  }

  @Test
  void aPathGoesThroughArraysOfDocuments() {
    assertThat(evaluate("'$a.b'", "{a: [{b: 1}, 5, {c: 2}, {b: [3]}]}"))
        .isEqualTo(value("[1, [3]]"));
    assertThat(evaluate("'$a.b'", "{a: 1}")).isNull();
    assertThat(evaluate("'$a.0'", "{a: [1]}")).isEqualTo(value("[]"));
  }

  @Test
  void aMissingElementOfAnArrayIsNullAndAMissingFieldIsLeftOut() {
    assertThat(evaluate("['$a', '$b', {c: '$a', d: '$b'}]", "{b: 1}"))
        .isEqualTo(value("[null, 1, {d: 1}]"));
  }

  @Test
  void removeIsMissing() {
    assertThat(evaluate("'$$REMOVE'", "{}")).isNull();
  }

  @Test
  void aBoundVariableIsReadFromTheScope() {
    ParseContext context = CONTEXT.withVariable("x");
    Expression expression = Expressions.parse(value("{$add: ['$$x.a', 1]}"), context);
    var scope = new Scope().bind(context.slot("x"), value("{a: 4}"));
    assertThat(expression.evaluate(scope)).isEqualTo(new BsonInt32(5));
  }

  @Test
  void constantsAreComputedByOptimize() {
    assertThat(parse("{$add: [1, {$multiply: [2, 3]}]}").optimize())
        .isEqualTo(new Constant(new BsonInt32(7)));
  }

  @Test
  void wrongConstantsFailInOptimizeAndNotBefore() {
    Expression expression = parse("{$subtract: [7, 'x']}");
    assertThatThrownBy(expression::optimize).hasMessage("can't $subtract string from int");
  }

  @Test
  void dependenciesNameThePathsRead() {
    Dependencies some = Dependencies.of(parse("{$add: ['$a.b', '$c', '$$ROOT.d']}"));
    assertThat(some.fields()).containsExactly("a.b", "c", "d");
    assertThat(some.needsWholeDocument()).isFalse();
    assertThat(Dependencies.of(parse("'$$ROOT'")).needsWholeDocument()).isTrue();
  }

  @Test
  void anUnknownOperatorIsNamed() {
    assertThatThrownBy(() -> parse("{$foo: 1}"))
        .isInstanceOfSatisfying(
            CommandException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_PIPELINE_OPERATOR))
        .hasMessage("Unrecognized expression '$foo'");
    assertThatThrownBy(() -> parse("{$function: 1}"))
        .isInstanceOfSatisfying(
            CommandException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_IMPLEMENTED));
  }

  @Test
  void anOperatorStandsAlone() {
    assertThatThrownBy(() -> parse("{$add: 1, $sum: 2}"))
        .hasMessage(
            "An object representing an expression must have exactly one field: "
                + "{ $add: 1, $sum: 2 }");
  }

  @Test
  void undefinedVariablesAreRefused() {
    assertThatThrownBy(() -> parse("'$$nope'")).hasMessage("Use of undefined variable: nope");
    assertThatThrownBy(() -> parse("'$$1'"))
        .hasMessage("'1' starts with an invalid character for a variable name");
  }

  @Test
  void variablesOfSiblingsAndChildrenDoNotMix() {
    String let =
        "{$let: {vars: {a: 1, b: {$map: {input: [5, 6], in: {$add: ['$$this', 1]}}}}, "
            + "in: ['$$a', '$$b']}}";
    assertThat(evaluate(let, "{}")).isEqualTo(value("[1, [6, 7]]"));
    String nested =
        "{$map: {input: [1, 2], as: 'x', in: {$reduce: {input: [10, 20], initialValue: '$$x', "
            + "in: {$add: ['$$value', '$$this', {$size: {$filter: {input: [1, 2, 3], "
            + "cond: {$gt: ['$$this', '$$x']}}}}]}}}}}";
    assertThat(evaluate(nested, "{}")).isEqualTo(value("[35, 34]"));
  }

  @Test
  void aDecisiveConstantDecidesEvenIfAnotherOperandWouldFail() {
    assertThat(parse("{$and: [{$divide: [1, '$zero']}, false]}").optimize())
        .isEqualTo(new Constant(value("false")));
  }

  @Test
  void neighbouringConstantsAreComputedAhead() {
    assertThatThrownBy(() -> parse("{$concat: ['$a', 'x', 1]}").optimize())
        .hasMessage("$concat only supports strings, not int");
    assertThatThrownBy(() -> parse("{$add: [1, 'x', '$a']}").optimize())
        .hasMessage("$add only supports numeric or date types, not string");
    // Addition goes from left to right, so here the document has its say first.
    assertThat(parse("{$add: ['$a', 1, 'x']}").optimize()).isNotInstanceOf(Constant.class);
  }

  @Test
  void onlyRedactKnowsItsVariables() {
    assertThatThrownBy(() -> parse("'$$KEEP'")).hasMessage("Use of undefined variable: KEEP");
    assertThat(Expressions.parse(value("'$$KEEP'"), CONTEXT.withRedactVariables()).optimize())
        .isEqualTo(new Constant(value("'keep'")));
  }

  @Test
  void metadataThatIsNotThereIsRefused() {
    Dependencies dependencies = Dependencies.of(parse("{$meta: 'textScore'}"));
    assertThatThrownBy(() -> dependencies.requireMetadata(Set.of()))
        .hasMessage("query requires text score metadata, but it is not available");
    dependencies.requireMetadata(Set.of("textScore"));
  }
}
