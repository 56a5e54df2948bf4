package dev.orrery.server;

import dev.orrery.server.command.AccessControl;
import dev.orrery.server.command.CommandMetrics;
import dev.orrery.server.command.Dispatcher;
import dev.orrery.server.command.Durability;
import dev.orrery.server.command.NetworkMeters;
import dev.orrery.server.command.RecentLog;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.ServerParameters;
import dev.orrery.server.command.Services;
import dev.orrery.server.command.StandardCommands;
import dev.orrery.server.net.CommandHandler;
import dev.orrery.server.net.RequestHandler;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.server.session.Sessions;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Everything that answers commands: the table, the sessions, the threads for long commands. */
final class CommandBackend implements MongoServer.Backend {
  /** Long commands that run at a time; the others wait. */
  private static final int WORKERS_PER_PROCESSOR = 4;

  /** Long commands that wait; one more is refused. */
  private static final int WAITING_MAX = 10_000;

  private static final long EXPIRY_SECONDS = 60;
  private static final long GRACE_SECONDS = 5;

  private final ThreadPoolExecutor workers = workers();
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory("timer", true));
  private final RecentLogAppender appender;
  private final CommandHandler requests;

  private CommandBackend(ServerConfig config, Runnable stop) {
    Clock clock = Clock.systemUTC();
    var sessions = new Sessions(clock);
    var metrics = new CommandMetrics();
    var meters = new NetworkMeters();
    var log = new RecentLog();
    var services =
        new Services(
            ServerFacts.starting(Version.current(), config.network().connectionsMax(), clock),
            sessions,
            new ClusterClock(clock),
            metrics,
            meters,
            new ServerParameters(),
            log,
            stop);
    var parts =
        new Dispatcher.Parts(
            StandardCommands.table(services, List.of()),
            sessions,
            services.clusterClock(),
            Durability.IMMEDIATE,
            AccessControl.OPEN,
            metrics);
    requests = new CommandHandler(new Dispatcher(parts, workers, System::nanoTime), meters);
    appender = RecentLogAppender.attach(log);
    timer.scheduleWithFixedDelay(
        sessions::expire, EXPIRY_SECONDS, EXPIRY_SECONDS, TimeUnit.SECONDS);
  }

  /** {@code stop} ends the process, or whatever the server lives in; it returns at once. */
  static CommandBackend open(ServerConfig config, Runnable stop) {
    return new CommandBackend(config, stop);
  }

  private static ThreadPoolExecutor workers() {
    int threads = WORKERS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
    var workers =
        new ThreadPoolExecutor(
            threads,
            threads,
            EXPIRY_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_MAX),
            new DefaultThreadFactory("worker", true));
    workers.allowCoreThreadTimeOut(true);
    return workers;
  }

  @Override
  public RequestHandler requests() {
    return requests;
  }

  @Override
  public void close() {
    timer.shutdownNow();
    workers.shutdown();
    try {
      if (!workers.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS)) {
        workers.shutdownNow();
      }
    } catch (InterruptedException e) {
      workers.shutdownNow();
      Thread.currentThread().interrupt();
    } finally {
      appender.detach();
    }
  }
}
