package dev.orrery.server.aggregate;

import dev.orrery.server.expression.Scope;
import dev.orrery.server.limit.Holding;
import dev.orrery.server.limit.MemoryAccount;
import java.nio.file.Path;

/**
 * One run of a pipeline: what it may reach beyond its input, the values of its variables, and where
 * it may put what does not fit into memory. Stages of one run share the scope, one at a time.
 */
public final class Run {
  /** How much memory a blocking stage may take before it goes to disk or fails. */
  static final long STAGE_BYTES_MAX = 100L << 20;

  private final Environment environment;
  private final Scope scope;
  private final Spill spill;

  /**
   * How much memory blocking stages may take, and where they may write.
   *
   * @param isAllowed what {@code allowDiskUse} says
   * @param bytesMax how much memory a stage takes before it writes
   * @param memory what all of them together hold of the server's memory
   */
  public record Spill(Path directory, boolean isAllowed, long bytesMax, MemoryAccount memory) {
    public Spill(Path directory, boolean isAllowed) {
      this(directory, isAllowed, STAGE_BYTES_MAX);
    }

    public Spill(Path directory, boolean isAllowed, long bytesMax) {
      this(directory, isAllowed, bytesMax, MemoryAccount.unlimited());
    }

    public Spill(Path directory, boolean isAllowed, MemoryAccount memory) {
      this(directory, isAllowed, STAGE_BYTES_MAX, memory);
    }

    /** The same for a stage that needs no permission to write. */
    Spill always() {
      return new Spill(directory, true, bytesMax, memory);
    }

    /** Counts what a stage holds more; false when that is too much for it or for the server. */
    boolean fits(Holding holding, long bytes) {
      boolean isThere = holding.grow(bytes);
      return isThere && holding.bytes() <= bytesMax;
    }
  }

  public Run(Environment environment, Spill spill) {
    this(environment, new Scope(), spill);
  }

  private Run(Environment environment, Scope scope, Spill spill) {
    this.environment = environment;
    this.scope = scope;
    this.spill = spill;
  }

  /** A run of a sub-pipeline, or a part of this one on another thread: it sees its variables. */
  Run fork() {
    return new Run(environment, scope.fork(), spill);
  }

  Environment environment() {
    return environment;
  }

  Scope scope() {
    return scope;
  }

  Spill spill() {
    return spill;
  }
}
