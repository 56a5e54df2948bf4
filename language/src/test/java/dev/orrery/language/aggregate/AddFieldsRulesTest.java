package dev.orrery.language.aggregate;

import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class AddFieldsRulesTest {
  private static void assertRefused(String specification, String message) {
    assertThatThrownBy(() -> AddFieldsRules.requireValid(BsonDocument.parse(specification)))
        .isInstanceOf(CommandException.class)
        .hasMessage(message);
  }

  @Test
  void pathsMayNotLeadIntoEachOther() {
    String conflict =
        "specification contains two conflicting paths. Cannot specify both '%s' and '%s': %s";
    assertRefused("{a: 1, 'a.b': 1}", conflict.formatted("a.b", "a", "{ a: 1, a.b: 1 }"));
    assertRefused("{'a.b': 1, a: 1}", conflict.formatted("a", "a.b", "{ a.b: 1, a: 1 }"));
    assertRefused(
        "{a: {b: 1}, 'a.b': 2}", conflict.formatted("a.b", "a.b", "{ a: { b: 1 }, a.b: 2 }"));
    assertThatNoException()
        .isThrownBy(
            () -> AddFieldsRules.requireValid(BsonDocument.parse("{a: {b: 1}, 'a.c': 1, ab: {}}")));
  }

  @Test
  void expressionsStandAlone() {
    assertRefused(
        "{a: {b: 1, $add: [1]}}",
        "an expression specification must contain exactly one field, the name of the expression."
            + " Found 2 fields in { b: 1, $add: [ 1 ] }, while parsing object"
            + " { a: { b: 1, $add: [ 1 ] } }");
  }

  @Test
  void fieldsInsideHaveNoDots() {
    assertRefused(
        "{a: {'b.c': 1}}", "cannot use dotted field name 'b.c' in a sub object: { a: { b.c: 1 } }");
    assertRefused("{a: {'': 1}}", "FieldPath must not end with a '.'.");
  }
}
