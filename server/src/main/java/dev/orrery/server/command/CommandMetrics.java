package dev.orrery.server.command;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What the commands did since the start: how often, how long, how often in vain. */
public final class CommandMetrics {
  /** The operations of serverStatus.opcounters. */
  public enum Operation {
    INSERT,
    QUERY,
    UPDATE,
    DELETE,
    GETMORE,
    COMMAND
  }

  /** The sums of one command. */
  static final class Counts {
    final LongAdder total = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder nanos = new LongAdder();
  }

  private final Map<Operation, LongAdder> operations = new EnumMap<>(Operation.class);
  private final Map<String, Counts> commands = new ConcurrentHashMap<>();
  private final LongAdder userErrors = new LongAdder();
  private final LongAdder internalErrors = new LongAdder();
  private final LongAdder unknownCommands = new LongAdder();

  public CommandMetrics() {
    for (Operation operation : Operation.values()) {
      operations.put(operation, new LongAdder());
    }
  }

  /** Counts what a command does many of at once, such as the documents of an insert. */
  public void count(Operation operation, long times) {
    operations.get(operation).add(times);
  }

  public long operations(Operation operation) {
    return operations.get(operation).sum();
  }

  /** Answers that were a user's error. */
  public long userErrors() {
    return userErrors.sum();
  }

  /** Answers that were a mistake of ours; 0 on a healthy server. */
  public long internalErrors() {
    return internalErrors.sum();
  }

  void succeeded(Command.Spec spec, int statements, long nanos) {
    Counts counts = counts(spec);
    counts.total.increment();
    counts.nanos.add(nanos);
    switch (spec.name()) {
      case "insert" -> count(Operation.INSERT, statements);
      case "update" -> count(Operation.UPDATE, statements);
      case "delete" -> count(Operation.DELETE, statements);
      case "find" -> count(Operation.QUERY, 1);
      case "getMore" -> count(Operation.GETMORE, 1);
      default -> count(Operation.COMMAND, 1);
    }
  }

  void failed(Command.Spec spec, boolean isInternal) {
    Counts counts = counts(spec);
    counts.total.increment();
    counts.failed.increment();
    (isInternal ? internalErrors : userErrors).increment();
  }

  void unknown() {
    unknownCommands.increment();
    userErrors.increment();
  }

  long unknownCommands() {
    return unknownCommands.sum();
  }

  /** The sums by command name, sorted. */
  Map<String, Counts> commands() {
    return new TreeMap<>(commands);
  }

  private Counts counts(Command.Spec spec) {
    Counts counts = commands.get(spec.name());
    return counts != null ? counts : commands.computeIfAbsent(spec.name(), name -> new Counts());
  }
}
