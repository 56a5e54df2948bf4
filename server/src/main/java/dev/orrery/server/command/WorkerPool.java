package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.limit.Allowance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * There are few places, so that many short requests do not take the processors from one another.
 * A request that is at work for longer than most ever are gives its place to the next and goes on
 * without one: so however long some requests take, the others wait for a moment.
 *
 * What goes on without a place is a thread all the same, and their number is bounded, for each
 * owner and for all. An owner is a user, or an address while nobody has logged in from there.
 * Owners take turns: whoever has many requests waiting gets no more places than one with few. And
 * an owner with none at work is let in even when the others have all threads that they may have.
 *
 * Those that are at work for a second take turns on the processors: as many as there are compute, the others
 * wait wherever they look for their end. Else the loops that read requests would have to share the
 * processors with all of them. A turn that does not come is not waited for, because whoever has one
 * may need what one that waits holds.
 *
 * docs/adr/0007-fair-shares.md tells what else was thought of.
 */

/**
 * The threads that long commands run on. Whose a task is and whether it is still wanted is told by
 * the allowance of the thread that hands it in.
 */
public final class WorkerPool implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);

  /**
   * How much there may be at a time.
   *
   * @param places tasks that are young
   * @param ownerThreads tasks of one owner
   * @param threads tasks of all owners that have some already
   * @param threadsMax all tasks
   * @param waitingMax tasks that wait
   */
  public record Limits(int places, int ownerThreads, int threads, int threadsMax, int waitingMax) {
    public static final Limits DEFAULT = new Limits(16, 48, 112, 128, 10_000);
  }

  /** After how long a task is no longer young. */
  static final long YOUNG_MILLIS = 100;

  private static final long LOOK_MILLIS = 20;

  /** After how long a task computes in turns; one that ends soon is not held up. */
  private static final long TURNS_AFTER_MILLIS = 1000;

  /** How long a turn on a processor is, and how long one is waited for. */
  private static final long TURN_MILLIS = 10;

  private static final long TURN_WAIT_MILLIS_MAX = 2000;

  /** What an owner has in the pool. */
  private static final class Owner {
    final Object name;
    final Deque<Task> waiting = new ArrayDeque<>();
    int atWork;

    Owner(Object name) {
      this.name = name;
    }
  }

  /** Something to do, and for whom. */
  private static final class Task {
    final Runnable work;
    final Allowance allowance;
    final Owner owner;
    long startNanos;
    volatile boolean isYoung = true;

    // Of the thread that works on it.
    @Nullable Thread thread;
    boolean hasTurn;
    long turnNanos;

    Task(Runnable work, Allowance allowance, Owner owner) {
      this.work = work;
      this.allowance = allowance;
      this.owner = owner;
    }
  }

  private final Limits limits;
  private final ThreadPoolExecutor threads;
  private final Semaphore processors =
      new Semaphore(Runtime.getRuntime().availableProcessors(), true);
  private final Map<Object, Owner> owners = new HashMap<>();

  /** Owners with tasks that wait, the one whose turn it is first. */
  private final Deque<Owner> turns = new ArrayDeque<>();

  private final Set<Task> atWork = new HashSet<>();
  private int young;
  private int waiting;
  private boolean isStopping;

  /**
   * @param timer looks after those that wait, now and then
   */
  public WorkerPool(Limits limits, ThreadFactory threadFactory, ScheduledExecutorService timer) {
    this.limits = limits;
    this.threads =
        new ThreadPoolExecutor(
            0, limits.threadsMax, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), threadFactory);
    timer.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void execute(Runnable work) {
    Allowance allowance = Allowance.current();
    synchronized (this) {
      if (isStopping || waiting >= limits.waitingMax) {
        throw new RejectedExecutionException(isStopping ? "the server stops" : "too much waits");
      }
      Owner owner = owners.computeIfAbsent(allowance.owner(), Owner::new);
      if (owner.waiting.isEmpty()) {
        turns.add(owner);
      }
      owner.waiting.add(new Task(work, allowance, owner));
      waiting++;
      startNext();
    }
  }

  /** Gives threads to as many as may begin. */
  private void startNext() {
    for (Task next = takeNext(); next != null; next = takeNext()) {
      Task first = next;
      try {
        threads.execute(() -> work(first));
      } catch (RejectedExecutionException | OutOfMemoryError noThread) {
        LOG.warn("a request has to wait for want of a thread", noThread);
        putBack(first);
        return; // the next look tries again
      }
    }
  }

  /** The next that may begin, and counts as being at work from now on; null if there is none. */
  private @Nullable Task takeNext() {
    for (int i = turns.size(); i > 0; i--) {
      Owner owner = turns.poll();
      if (!mayBegin(owner)) {
        turns.add(owner);
        continue;
      }
      Task next = owner.waiting.poll();
      waiting--;
      if (!owner.waiting.isEmpty()) {
        turns.add(owner);
      }
      owner.atWork++;
      young++;
      next.startNanos = System.nanoTime();
      atWork.add(next);
      return next;
    }
    return null;
  }

  private void putBack(Task task) {
    Owner owner = task.owner;
    end(task);
    owners.put(owner.name, owner);
    if (owner.waiting.isEmpty()) {
      turns.add(owner);
    }
    owner.waiting.addFirst(task);
    waiting++;
  }

  private boolean mayBegin(Owner owner) {
    if (owner.atWork == 0) {
      return atWork.size() < limits.threadsMax;
    }
    return young < limits.places
        && owner.atWork < limits.ownerThreads
        && atWork.size() < limits.threads;
  }

  private void work(Task first) {
    Task task = first;
    while (task != null) {
      Task current = task;
      task.thread = Thread.currentThread();
      if (task.allowance != Allowance.UNLIMITED) { // which is nobody's, and everybody's
        task.allowance.pauseBy(() -> pause(current));
      }
      try {
        task.work.run();
      } catch (RuntimeException | Error failure) {
        LOG.error("work in the pool failed", failure);
      }
      giveTurn(task);
      synchronized (this) {
        end(task);
        task = takeNext();
      }
    }
  }

  /** Lets others compute, if a task has had its turn; its helpers on other threads go on. */
  private void pause(Task task) {
    if (task.isYoung || Thread.currentThread() != task.thread) {
      return;
    }
    long now = System.nanoTime();
    if (now - task.startNanos < TimeUnit.MILLISECONDS.toNanos(TURNS_AFTER_MILLIS)) {
      return;
    }
    if (task.hasTurn) {
      long nanos = now - task.turnNanos;
      if (nanos < TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS) || !processors.hasQueuedThreads()) {
        return;
      }
      giveTurn(task);
    }
    try {
      task.hasTurn = processors.tryAcquire(TURN_WAIT_MILLIS_MAX, TimeUnit.MILLISECONDS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
    task.turnNanos = System.nanoTime();
    task.allowance.check(); // it may have ended while it waited
  }

  private void giveTurn(Task task) {
    if (task.hasTurn) {
      task.hasTurn = false;
      processors.release();
    }
  }

  private void end(Task task) {
    atWork.remove(task);
    task.owner.atWork--;
    if (task.isYoung) {
      young--;
    }
    forget(task.owner);
    notifyAll();
  }

  private void forget(Owner owner) {
    if (owner.atWork == 0 && owner.waiting.isEmpty()) {
      owners.remove(owner.name);
    }
  }

  /** Lets those in that wait for places of others which have had theirs for long enough. */
  private void look() {
    List<Task> over = List.of();
    try {
      synchronized (this) {
        long now = System.nanoTime();
        for (Task task : atWork) {
          if (task.isYoung
              && now - task.startNanos >= TimeUnit.MILLISECONDS.toNanos(YOUNG_MILLIS)) {
            task.isYoung = false;
            young--;
          }
        }
        if (waiting > 0) {
          over = takeOver();
          startNext();
        }
      }
    } catch (RuntimeException | Error failure) {
      LOG.error("waiting requests could not be looked after", failure);
    }
    over.forEach(task -> task.work.run()); // sees that it is over, and says so to its client
  }

  /** Takes away what waits and is not wanted any more. */
  private List<Task> takeOver() {
    var over = new ArrayList<Task>();
    for (Iterator<Owner> each = turns.iterator(); each.hasNext(); ) {
      Owner owner = each.next();
      owner.waiting.removeIf(task -> isOver(task) && over.add(task));
      if (owner.waiting.isEmpty()) {
        each.remove();
        forget(owner);
      }
    }
    waiting -= over.size();
    return over;
  }

  private static boolean isOver(Task task) {
    try {
      task.allowance.check();
      return false;
    } catch (CommandException ended) {
      return true;
    }
  }

  /** How many tasks wait for a thread. */
  public synchronized int waiting() {
    return waiting;
  }

  /** How many threads work. */
  public synchronized int atWork() {
    return atWork.size();
  }

  /** Takes nothing more, and waits for what is there to end; false if it does not in time. */
  public boolean stop(long seconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    synchronized (this) {
      isStopping = true;
      for (long left = seconds * 1000; waiting + atWork.size() > 0 && left > 0; ) {
        wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      }
    }
    threads.shutdown();
    boolean isDone =
        threads.awaitTermination(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    if (!isDone) {
      threads.shutdownNow();
    }
    return isDone;
  }
}
