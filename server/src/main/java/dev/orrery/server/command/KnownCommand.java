package dev.orrery.server.command;

import dev.orrery.server.operation.Subject;
import org.jspecify.annotations.Nullable;

/** A command, and what would have to be looked up for each of its calls. */
record KnownCommand(
    Command command,
    Command.Spec spec,
    @Nullable String collectionField,
    CommandMetrics.Counts counts) {
  static KnownCommand of(Command command, CommandMetrics metrics) {
    Command.Spec spec = command.spec();
    String name = spec.name();
    return new KnownCommand(command, spec, Subject.collectionField(name), metrics.counts(name));
  }
}
