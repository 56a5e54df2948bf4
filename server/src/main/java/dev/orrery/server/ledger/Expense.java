package dev.orrery.server.ledger;

import dev.orrery.language.error.BsonText;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.operation.Subject;
import dev.orrery.server.throughput.CommandShape;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.jspecify.annotations.Nullable;

/**
 * One request that ended and cost something, or was refused for its cost.
 *
 * @param twentyFirsts its price, in twenty-firsts of a request unit
 * @param refusals how often it, or one of its statements, was refused for its rate
 */
record Expense(Operation operation, long twentyFirsts, long refusals) {
  static Expense of(Operation operation) {
    return new Expense(
        operation, operation.work().charge().twentyFirsts(), operation.work().refusals());
  }

  boolean isNothing() {
    return twentyFirsts == 0 && refusals == 0;
  }

  Subject subject() {
    return operation.subject();
  }

  /** The shape of the request; a getMore is told from those of other collections. */
  String shape() {
    Subject subject = subject();
    if (subject.command().equals("getMore")) {
      return "getMore " + subject.collection();
    }
    return CommandShape.of(subject.body(), subject.statement())
        .described(subject.body(), subject.statement())
        .text();
  }

  @Nullable String application() {
    return operation.client().applicationName();
  }

  /** The comment as text; null when there is none. */
  @Nullable String comment() {
    RawValue comment = subject().body().field("comment");
    if (comment == null) {
      return null;
    }
    return comment.type() == RawTypes.STRING
        ? comment.asString()
        : BsonText.stored(comment.toBsonValue());
  }
}
