package dev.orrery.server.operation;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.MemoryAccount;
import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.throughput.OperationWork;
import dev.orrery.storage.WorkMeter;
import dev.orrery.value.RawDocument;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One request at work: who sent it, what it asks for, until when it may run, what it has done so
 * far. Whoever works on it calls {@link #check} now and then. Others may read it, seeing what it
 * has done a little late, and may kill it.
 */
public final class Operation implements Allowance.Interruption {
  private final int id;
  private final Client client;
  private final Subject subject;
  private final OperationWork work;
  private final LongSupplier nanoClock;
  private final long startNanos;
  private long endNanos;
  private boolean isUnlimited = true;
  private long waitedNanos;
  private int statements = 1;
  private volatile @Nullable ErrorCode killedBy;
  private volatile @Nullable Runnable onKill;
  private volatile boolean isWaiting;
  private @Nullable ErrorCode failure;
  private @Nullable RawDocument statement;
  private @Nullable MemoryBudget budget;
  private @Nullable MemoryAccount memory;
  private @Nullable Allowance allowance;
  private boolean isMemoryLeft;
  private @Nullable MemoryAccount replyMemory;

  private @Nullable QueryPlan plan;
  private @Nullable Execution execution;
  // What the execution had done for earlier requests is taken off, what earlier ones did is added.
  private long keysExamined;
  private long documentsExamined;

  public Operation(
      int id, Client client, Subject subject, OperationWork work, LongSupplier nanoClock) {
    this.id = id;
    this.client = client;
    this.subject = subject;
    this.work = work;
    this.nanoClock = nanoClock;
    this.startNanos = work.startNanos();
  }

  /** Ends it after so long; never when that is 0, as in MongoDB. */
  public Operation limitedTo(long maxTimeMillis) {
    isUnlimited = maxTimeMillis == 0;
    endNanos = startNanos + TimeUnit.MILLISECONDS.toNanos(maxTimeMillis);
    return this;
  }

  /** Takes the memory that it holds from there; to be called before it gets its allowance. */
  public Operation holdingOf(MemoryBudget newBudget) {
    budget = newBudget;
    return this;
  }

  /** What it holds of the server's memory. */
  public MemoryAccount memory() {
    if (memory == null) {
      memory = budget == null ? MemoryAccount.unlimited() : budget.open();
    }
    return memory;
  }

  /** Leaves its memory to whoever goes on when it has ended, and closes the account then. */
  public void leave(MemoryAccount account) {
    isMemoryLeft = account == memory;
  }

  /** What its reply takes until it is on its way, also when the rest is given back before. */
  public MemoryAccount replyMemory() {
    if (replyMemory == null) {
      replyMemory = budget == null ? MemoryAccount.unlimited() : budget.open();
    }
    return replyMemory;
  }

  /** Gives back what the reply took: it is on its way, or there will be none. */
  public void releaseReply() {
    if (replyMemory != null) {
      replyMemory.close();
      replyMemory = null;
    }
  }

  /** Gives back what it holds. */
  public void releaseMemory() {
    if (memory != null && !isMemoryLeft) {
      memory.close();
    }
  }

  /**
   * What every thread is bound to that works on it. Asked for by the thread on which it begins; a
   * request that needs none, as it does nothing of a size that its client chooses, makes none.
   */
  public Allowance allowance() {
    if (allowance == null) {
      allowance = new Allowance(this, memory());
    }
    return allowance;
  }

  /** Ends it after what was left to an earlier request; see {@link #remainingNanos}. */
  public Operation limitedToNanos(long nanosLeft) {
    if (nanosLeft != Long.MAX_VALUE) {
      isUnlimited = false;
      endNanos = startNanos + nanosLeft;
    }
    return this;
  }

  /** How long it may run on, or a very long time without a limit. */
  public long remainingNanos() {
    return isUnlimited ? Long.MAX_VALUE : endNanos - nanoClock.getAsLong();
  }

  public int id() {
    return id;
  }

  public Client client() {
    return client;
  }

  public Subject subject() {
    return subject;
  }

  /** Asks for, and counts, its request units. */
  public OperationWork work() {
    return work;
  }

  /** How long it has been running; what it waited for its client's sake is left out. */
  public long nanos() {
    return nanosUntil(nanoClock.getAsLong());
  }

  /** The same at a time that the clock told before. */
  public long nanosUntil(long nowNanos) {
    return nowNanos - startNanos - waitedNanos;
  }

  /** Says that it is about to wait for something to happen, as the client wants it to. */
  public void willWait(long millis) {
    waitedNanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Override
  public Object owner() {
    return client.owner();
  }

  /** Throws when it was killed or its time is up; long work calls it now and then. */
  @Override
  public void check() {
    ErrorCode killed = killedBy;
    if (killed != null) {
      throw new CommandException(killed, words(killed));
    }
    if (!isUnlimited && nanoClock.getAsLong() - endNanos >= 0) {
      throw new CommandException(ErrorCode.MAX_TIME_MS_EXPIRED, "operation exceeded time limit");
    }
  }

  private static String words(ErrorCode killed) {
    return switch (killed) {
      case INTERRUPTED_AT_SHUTDOWN -> "interrupted at shutdown";
      case CLIENT_DISCONNECT -> "client disconnected";
      default -> "operation was interrupted";
    };
  }

  /** Asks it to end with that error, at its next check; the first asker wins. */
  public void kill(ErrorCode why) {
    if (killedBy == null) {
      killedBy = why;
    }
    Runnable wake = onKill;
    if (wake != null) {
      wake.run();
    }
  }

  /** Wakes up what waits without a thread, and so does not check; at once if it was killed. */
  public void onKill(Runnable wake) {
    onKill = wake;
    if (isKilled()) {
      wake.run();
    }
  }

  /** The same for what waits for others, and so for nothing when the server stops. */
  public void waitWith(Runnable wake) {
    isWaiting = true;
    onKill(wake);
  }

  /** Says that somebody works on it again, and checks. */
  public void goOn() {
    isWaiting = false;
    onKill = null;
  }

  /** Whether nobody works on it, as it waits for others. */
  boolean isWaiting() {
    return isWaiting;
  }

  public boolean isKilled() {
    return killedBy != null;
  }

  /** Lets a plan be interrupted with it, and counts what the plan does. */
  public void watch(Execution next) {
    Allowance own = allowance();
    next.interruptBy(
        () -> {
          check();
          own.step();
        });
    keysExamined = keysExamined() - next.meter().keysExamined();
    documentsExamined = documentsExamined() - next.meter().documentsLoaded();
    execution = next;
  }

  /** Names the plan that it runs; the first one, when there are several. */
  public void planned(QueryPlan chosen) {
    if (plan == null) {
      plan = chosen;
    }
  }

  /** The plan that it runs, or null when there is none or none is known yet. */
  public @Nullable QueryPlan plan() {
    return plan;
  }

  public long keysExamined() {
    WorkMeter meter = execution == null ? null : execution.meter();
    return keysExamined + (meter == null ? 0 : meter.keysExamined());
  }

  public long documentsExamined() {
    WorkMeter meter = execution == null ? null : execution.meter();
    return documentsExamined
        + work.documentsLookedUp()
        + (meter == null ? 0 : meter.documentsLoaded());
  }

  /** Shows the first of the updates or deletions that came beside the body of the request. */
  public void withStatement(@Nullable RawDocument first) {
    statement = first;
  }

  /** The first of the statements beside the body; null when there is none, or nobody asks. */
  @Nullable RawDocument statement() {
    return statement;
  }

  /** Says that it is answered with that error. */
  public void fail(ErrorCode error) {
    failure = error;
  }

  /** The error that it is answered with; null when it succeeded, or has not ended. */
  public @Nullable ErrorCode failure() {
    return failure;
  }

  /** What became of it, once it has ended. */
  public Outcome outcome() {
    if (failure == ErrorCode.REQUEST_RATE_TOO_LARGE || failure == null && work.isRefused()) {
      return Outcome.THROTTLED;
    }
    if (failure == null) {
      return Outcome.OK;
    }
    return failure == ErrorCode.INTERNAL_ERROR ? Outcome.BROKEN : Outcome.FAILED;
  }

  /** How large the documents were together that its plan loaded last. */
  public long bytesExamined() {
    return execution == null ? 0 : execution.meter().bytesLoaded();
  }

  /** How many physical partitions it asked so far. */
  public int partitionsVisited() {
    return work.partitionsVisited();
  }

  /** Says that it does so many of its kind at once, such as the documents of an insert. */
  public void consistsOf(int count) {
    statements = count;
  }

  /** As how many it counts. */
  public int statements() {
    return statements;
  }
}
