package dev.orrery.language.aggregate.stage;

import dev.orrery.language.expression.Scope;
import dev.orrery.language.limit.Holding;
import dev.orrery.language.limit.MemoryAccount;
import dev.orrery.language.limit.SpillArea;

/**
 * One run of a pipeline: what it may reach beyond its input, the values of its variables, and where
 * it may put what does not fit into memory. Stages of one run share the scope, one at a time.
 */
public final class PipelineRun {
  /** How much memory a blocking stage may take before it goes to disk or fails. */
  public static final long STAGE_BYTES_MAX = 100L << 20;

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
  public record Spill(SpillArea area, boolean isAllowed, long bytesMax, MemoryAccount memory) {
    public Spill(SpillArea area, boolean isAllowed) {
      this(area, isAllowed, STAGE_BYTES_MAX);
    }

    public Spill(SpillArea area, boolean isAllowed, long bytesMax) {
      this(area, isAllowed, bytesMax, MemoryAccount.unlimited());
    }

    public Spill(SpillArea area, boolean isAllowed, MemoryAccount memory) {
      this(area, isAllowed, STAGE_BYTES_MAX, memory);
    }

    /** The same for a stage that needs no permission to write. */
    public Spill always() {
      return new Spill(area, true, bytesMax, memory);
    }

    /** Counts what a stage holds more; false when that is too much for it or for the server. */
    public boolean fits(Holding holding, long bytes) {
      boolean isThere = holding.grow(bytes);
      return isThere && holding.bytes() <= bytesMax;
    }
  }

  public PipelineRun(Environment environment, Spill spill) {
    this(environment, new Scope(), spill);
    spill.memory().add(spills -> scope.leaveRoot());
  }

  private PipelineRun(Environment environment, Scope scope, Spill spill) {
    this.environment = environment;
    this.scope = scope;
    this.spill = spill;
  }

  /** A run of a sub-pipeline, or a part of this one on another thread: it sees its variables. */
  public PipelineRun fork() {
    return new PipelineRun(environment, scope.fork(), spill);
  }

  public Environment environment() {
    return environment;
  }

  public Scope scope() {
    return scope;
  }

  public Spill spill() {
    return spill;
  }
}
