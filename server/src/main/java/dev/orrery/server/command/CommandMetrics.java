package dev.orrery.server.command;

import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
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
  public final class Counts {
    private final LongAdder total = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder operation;
    private final boolean countsStatements;

    private Counts(String command) {
      Operation kind = operation(command);
      operation = operations.get(kind);
      countsStatements =
          kind == Operation.INSERT || kind == Operation.UPDATE || kind == Operation.DELETE;
    }

    /**
     * @param statements as how many the call counts, such as the documents of an insert
     */
    void succeeded(int statements, long took) {
      total.increment();
      nanos.add(took);
      operation.add(countsStatements ? statements : 1);
    }

    void failed(boolean isInternal) {
      total.increment();
      failed.increment();
      (isInternal ? internalErrors : userErrors).increment();
    }

    public long total() {
      return total.sum();
    }

    public long failed() {
      return failed.sum();
    }

    public long nanos() {
      return nanos.sum();
    }
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

  void unknown() {
    unknownCommands.increment();
    userErrors.increment();
  }

  public long unknownCommands() {
    return unknownCommands.sum();
  }

  /** The sums of the commands that were called, by name. */
  public SortedMap<String, Counts> commands() {
    var called = new TreeMap<>(commands);
    called.values().removeIf(counts -> counts.total() == 0);
    return called;
  }

  /** Where the calls of a command are counted. */
  Counts counts(String command) {
    return commands.computeIfAbsent(command, Counts::new);
  }

  private static Operation operation(String command) {
    return switch (command) {
      case "insert" -> Operation.INSERT;
      case "update" -> Operation.UPDATE;
      case "delete" -> Operation.DELETE;
      case "find" -> Operation.QUERY;
      case "getMore" -> Operation.GETMORE;
      default -> Operation.COMMAND;
    };
  }
}
