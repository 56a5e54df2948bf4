package dev.orrery.storage.postgres;

import dev.orrery.lane.Lane;
import dev.orrery.storage.StorageException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Deque;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.postgresql.Driver;

/**
 * A bounded number of connections, and as many threads that ask through them. The threads run
 * nothing of a request: they wait for the database, and complete stages.
 */
final class Connections implements AutoCloseable {
  private static final long RETRY_MILLIS_MIN = 20;
  private static final long RETRY_MILLIS_MAX = 500;
  private static final long IDLE_SECONDS = 60;

  /** All statements look for few rows by keys, also while the tables are small or not analyzed. */
  private static final String PLANS =
      "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off";

  private final PostgresOptions options;
  private final Properties properties = new Properties();
  private final Deque<DatabaseSession> idle = new ConcurrentLinkedDeque<>();
  private final ThreadPoolExecutor threads;
  private final Semaphore views;
  private final AtomicLong trips = new AtomicLong();
  private volatile boolean isClosed;

  Connections(PostgresOptions options) {
    this.options = options;
    properties.setProperty("ApplicationName", "orrery");
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("connectTimeout", "5");
    properties.setProperty("prepareThreshold", "1");
    properties.setProperty("reWriteBatchedInserts", "false");
    properties.setProperty("targetServerType", "primary");
    properties.setProperty("options", PLANS);
    properties.putAll(options.properties());
    properties.setProperty("currentSchema", options.schema());
    this.views = new Semaphore(options.views());
    var number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            options.connections(),
            options.connections(),
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> daemon("postgres-" + number.incrementAndGet(), work));
    threads.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = Lane.COMMITTER.thread(name, work);
    thread.setDaemon(true);
    return thread;
  }

  /** How often somebody waited for an answer of the database. */
  long trips() {
    return trips.get();
  }

  /** A new connection. */
  DatabaseSession open() {
    try {
      Connection connection = new Driver().connect(options.url(), properties);
      return new DatabaseSession(connection, trips);
    } catch (SQLException e) {
      if (isLogin(e)) {
        throw new StorageException(
            StorageException.Reason.UNUSABLE, options + ": " + e.getMessage(), e);
      }
      throw new LostConnectionException(options + ": " + e.getMessage(), e);
    }
  }

  /** Whether waiting does not help: a wrong password, or no such database. */
  private static boolean isLogin(SQLException e) {
    String state = e.getSQLState();
    return state != null && (state.startsWith("28") || state.startsWith("3D"));
  }

  private void requireOpen() {
    if (isClosed) {
      throw new StorageException(StorageException.Reason.UNAVAILABLE, "the engine is closed");
    }
  }

  DatabaseSession take() {
    requireOpen();
    for (DatabaseSession session = idle.poll(); session != null; session = idle.poll()) {
      if (!session.isOld()) {
        return session;
      }
      session.close();
    }
    return open();
  }

  void give(DatabaseSession session) {
    if (isClosed) {
      session.close();
    } else {
      idle.push(session);
    }
  }

  /**
   * Answers with a connection, in this thread; asked again, through another one, for as long as the
   * database is away. What it does must be harmless when done twice.
   */
  <T> T with(Function<DatabaseSession, T> question) {
    long deadline = System.nanoTime() + PostgresOptions.PATIENCE_MILLIS * 1_000_000;
    for (long pause = RETRY_MILLIS_MIN; ; pause = Math.min(2 * pause, RETRY_MILLIS_MAX)) {
      try {
        return once(question);
      } catch (LostConnectionException e) {
        dropIdle();
        if (System.nanoTime() > deadline) {
          throw new StorageException(StorageException.Reason.UNAVAILABLE, e.getMessage(), e);
        }
        sleep(pause);
      }
    }
  }

  /** The same, once. */
  <T> T once(Function<DatabaseSession, T> question) {
    DatabaseSession session = take();
    T answer;
    try {
      answer = question.apply(session);
    } catch (LostConnectionException e) {
      session.close();
      throw e;
    } catch (RuntimeException | Error e) {
      giveAfterFailure(session);
      throw e;
    }
    give(session);
    return answer;
  }

  /** Gives back one whose transaction failed, if it can still be used. */
  void giveAfterFailure(DatabaseSession session) {
    if (session.rollBack()) {
      give(session);
    } else {
      session.close();
    }
  }

  /** After a failover those that were not used meanwhile lead nowhere either. */
  private void dropIdle() {
    for (DatabaseSession session = idle.poll(); session != null; session = idle.poll()) {
      session.close();
    }
  }

  static void sleep(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(StorageException.Reason.UNAVAILABLE, "interrupted", e);
    }
  }

  /** Answers from another thread. */
  <T> CompletionStage<T> ask(Function<DatabaseSession, T> question) {
    return run(() -> with(question));
  }

  /** Computes something in a thread that may ask the database. */
  <T> CompletionStage<T> run(Supplier<T> work) {
    requireOpen();
    var answer = new CompletableFuture<T>();
    try {
      threads.execute(
          () -> {
            T found;
            try {
              found = work.get();
            } catch (RuntimeException | Error e) {
              answer.completeExceptionally(e);
              return;
            }
            answer.complete(found);
          });
    } catch (RejectedExecutionException e) {
      throw new StorageException(StorageException.Reason.UNAVAILABLE, "the engine is closed", e);
    }
    return answer;
  }

  /** Answers in this thread, which may wait. */
  <T> T wait(Function<DatabaseSession, T> question) {
    Lane.requireMayWait();
    return with(question);
  }

  /** A connection for one read point, to be given back by {@link #giveView}. */
  DatabaseSession takeView() {
    if (!views.tryAcquire()) {
      throw new StorageException(
          StorageException.Reason.UNAVAILABLE,
          "no more than " + options.views() + " read points can be open at a time");
    }
    try {
      return take();
    } catch (RuntimeException | Error e) {
      views.release();
      throw e;
    }
  }

  void giveView(DatabaseSession session) {
    views.release();
    giveAfterFailure(session);
  }

  /** Gives a read point's connection back, from another thread. */
  void release(DatabaseSession session) {
    try {
      threads.execute(() -> giveView(session));
    } catch (RejectedExecutionException e) {
      views.release();
      session.close();
    }
  }

  @Override
  public void close() {
    isClosed = true;
    threads.shutdown();
    try {
      if (!threads.awaitTermination(PostgresOptions.PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
    dropIdle();
  }
}
