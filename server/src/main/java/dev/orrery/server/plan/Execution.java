package dev.orrery.server.plan;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.MemoryAccount;
import dev.orrery.language.limit.Resting;
import dev.orrery.language.limit.SpillArea;
import dev.orrery.server.expiry.Expiry;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.partition.PartitionIds;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;

/**
 * What surrounds one run of a plan: the meter of its work, the partitions it visits, when it must
 * end, and how much memory and disk it may take.
 */
public final class Execution {
  public static final long SORT_BYTES_MAX = 100L << 20;

  /** How soon somebody who waits for storage looks whether to go on. */
  private static final long LOOK_MILLIS = 10;

  /** Throws when the operation must end: its time is up, or it was killed. */
  @FunctionalInterface
  public interface Interruption {
    Interruption NEVER = () -> {};

    void check();
  }

  private final WorkMeter meter = new WorkMeter();
  private final PartitionIds partitions = new PartitionIds();
  private final SpillArea area;
  private final boolean isDiskAllowed;
  private final long sortBytesMax;
  private Interruption interruption = Interruption.NEVER;
  private MemoryAccount memory = MemoryAccount.unlimited();
  private final LargestDocument largest = new LargestDocument();
  private long sortBytes;
  private long resultBytes;
  private boolean isForWrites;
  private Expiry expiry = Expiry.NEVER;

  /**
   * @param area where sorts may spill, if {@code isDiskAllowed}
   */
  public Execution(SpillArea area, boolean isDiskAllowed) {
    this(area, isDiskAllowed, SORT_BYTES_MAX);
  }

  Execution(SpillArea area, boolean isDiskAllowed, long sortBytesMax) {
    this.area = area;
    this.isDiskAllowed = isDiskAllowed;
    this.sortBytesMax = sortBytesMax;
  }

  /** Counts there what it holds; to be called before a plan is opened. */
  public Execution holding(MemoryAccount account) {
    memory = account;
    meter.askBeforeLarge(largest);
    return this;
  }

  /** Holds as much as the largest document takes that is read; one at a time is. */
  private final class LargestDocument implements IntConsumer, Resting {
    private int held;

    @Override
    public void accept(int bytes) {
      if (bytes > held && bytes > memory.heldBytes()) { // else somebody made room for it
        if (held == 0) {
          memory.add(this);
        }
        memory.await(bytes - held, () -> interruption.check());
        held = bytes;
      }
    }

    @Override
    public void rest(boolean spills) {
      if (held > 0) {
        memory.release(held);
        memory.remove(this);
        held = 0;
      }
    }
  }

  /** What it holds of the server's memory. */
  public MemoryAccount memory() {
    return memory;
  }

  public WorkMeter meter() {
    return meter;
  }

  /** Each getMore brings its own. */
  public void interruptBy(Interruption newInterruption) {
    interruption = newInterruption;
  }

  /**
   * For a part of the work that another thread may do; {@link #add} counts it in the end.
   *
   * @param check throws when the part is no longer wanted
   */
  public Execution part(Interruption check) {
    var part = new Execution(area, isDiskAllowed, sortBytesMax).holding(memory);
    part.expiry = expiry;
    part.interruption =
        () -> {
          check.check();
          interruption.check();
        };
    return part;
  }

  /** Counts what a part did; any thread may call it. */
  public synchronized void add(Execution part) {
    meter.add(part.meter);
    partitions.addAll(part.partitions);
    resultBytes += part.resultBytes;
  }

  void checkInterruption() {
    interruption.check();
  }

  /**
   * What storage promised, as soon as it is there; ends when the operation must end. An event loop
   * leaves the wait to others.
   */
  public <T> T await(CompletionStage<T> stage) {
    CompletableFuture<T> promised = stage.toCompletableFuture();
    if (!promised.isDone()) {
      Lane.requireMayWait();
      while (!isDoneSoon(promised)) {
        interruption.check();
      }
    }
    return Lane.await(promised);
  }

  private static boolean isDoneSoon(CompletableFuture<?> promised) {
    try {
      promised.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ErrorCode.INTERRUPTED_AT_SHUTDOWN, "interrupted at shutdown");
    }
  }

  /** Says what is kept with documents and hidden; to be called before a plan is opened. */
  public Execution expiringBy(Expiry newExpiry) {
    expiry = newExpiry;
    return this;
  }

  boolean hidesLastChange(CollectionInfo info) {
    return expiry.hidesLastChange(info);
  }

  void visit(int partition) {
    partitions.add(partition);
  }

  /** The numbers of the physical partitions that were asked. */
  public PartitionIds partitions() {
    return partitions;
  }

  /** How many physical partitions were asked. */
  public int partitionsVisited() {
    return partitions.size();
  }

  /** Counts a result whose bytes nobody else sees, because {@code explain} does not return it. */
  void countResult(long bytes) {
    resultBytes += bytes;
  }

  /** How large all counted results were. */
  public long resultBytes() {
    return resultBytes;
  }

  /**
   * Says that documents are changed between two calls of the cursor. Scans of indexes then remember
   * what they gave, so that a document that moves ahead in an index is not met again.
   */
  public void prepareForWrites() {
    isForWrites = true;
  }

  boolean isForWrites() {
    return isForWrites;
  }

  /** Adds to the memory that the sorts of this execution hold together. */
  void holdSortBytes(long bytes) {
    sortBytes += bytes;
  }

  boolean isSortMemoryFull() {
    return sortBytes > sortBytesMax;
  }

  long sortBytesMax() {
    return sortBytesMax;
  }

  /** Where it may write what does not fit into memory. */
  public SpillArea area() {
    return area;
  }

  boolean isDiskAllowed() {
    return isDiskAllowed;
  }
}
