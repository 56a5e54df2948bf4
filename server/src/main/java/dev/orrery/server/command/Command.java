package dev.orrery.server.command;

import dev.orrery.value.BsonEncoder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;

/** One MongoDB command. Stateless: everything a call needs arrives in its arguments. */
public interface Command {
  Spec spec();

  /**
   * Parses the body (to {@link CommandReader#finish()}), does the work, and gives the reply without
   * {@code ok}, which the dispatcher adds. Raw documents inside the reply are written as they are.
   */
  BsonDocument run(CommandContext context, CommandReader body);

  /**
   * The same for a command that must wait, such as a getMore for new data: a thread is never held
   * while the stage is open. Whoever overrides this leaves {@link #run} for callers inside.
   */
  default CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    return CompletableFuture.completedFuture(run(context, body));
  }

  /**
   * Answers on the spot, in bytes, what needs neither a plan nor a wait: writes the fields of the
   * reply and returns true. False leaves the body untouched, the reply empty, and all to {@link
   * #start}, which would have given the same answer. Never blocks.
   */
  default boolean answer(CommandContext context, CommandReader body, BsonEncoder reply) {
    return false;
  }

  /** What a caller must be allowed to do. */
  enum Access {
    /** Nothing: also before authentication. */
    ANONYMOUS,
    READ,
    WRITE,
    ADMIN
  }

  /** What the dispatcher treats differently for some commands. */
  enum Trait {
    /** Refused on every database but {@code admin}. */
    ADMIN_DATABASE,
    /** Creates collections or indexes, which a point in time has or has not. */
    DEFINES,
    /** Ends a multi-document transaction, and so looks after it by itself. */
    ENDS_TRANSACTION,
    /** May take long or block: runs on the worker pool, never on an event loop. */
    LONG,
    /** Reads its fields before its transaction begins: a mistake in them does not end it. */
    PARSED_FIRST,
    /** Takes every read concern but snapshot. */
    READ_CONCERN,
    /** Asks for no login in MongoDB, and so knows no transactions. */
    PUBLIC,
    /** May carry a {@code txnNumber} outside of a transaction. */
    RETRYABLE_WRITE,
    /** May read at a point, by read concern snapshot. */
    SNAPSHOT,
    /** In API Version 1, so allowed with {@code apiStrict}. */
    STABLE_API,
    /** Allowed inside a multi-document transaction. */
    TRANSACTION,
    /** May say when what it writes counts as done. */
    WRITE_CONCERN
  }

  /**
   * What the dispatcher must know before it runs the command.
   *
   * @param traits a bit for each, because every request asks for some
   */
  record Spec(String name, Access access, List<String> aliases, int traits, String fieldsOf) {
    public Spec {
      aliases = List.copyOf(aliases);
    }

    public static Spec of(String name, Access access, Trait... traits) {
      int bits = 0;
      for (Trait trait : traits) {
        bits |= bit(trait);
      }
      return new Spec(name, access, List.of(), bits, name);
    }

    /**
     * Of a command that changes documents, in or out of a transaction, once if it is sent twice.
     */
    public static Spec ofWrite(String name) {
      return of(
          name,
          Access.WRITE,
          Trait.STABLE_API,
          Trait.RETRYABLE_WRITE,
          Trait.PARSED_FIRST,
          Trait.TRANSACTION,
          Trait.WRITE_CONCERN);
    }

    /** The same command under further names, in the old spelling for instance. */
    public Spec alias(String... names) {
      return new Spec(name, access, List.of(names), traits, fieldsOf);
    }

    /** How MongoDB calls the command in its messages about fields, where that is not its name. */
    public Spec fieldsOf(String structure) {
      return new Spec(name, access, aliases, traits, structure);
    }

    public boolean has(Trait trait) {
      return (traits & bit(trait)) != 0;
    }

    private static int bit(Trait trait) {
      return 1 << trait.ordinal();
    }
  }
}
