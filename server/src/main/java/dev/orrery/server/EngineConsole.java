package dev.orrery.server;

import dev.orrery.server.command.Dispatcher;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.diagnostic.Services;
import dev.orrery.server.console.ConsolePages;
import dev.orrery.server.console.api.CommandRunner;
import dev.orrery.server.console.api.Sources;
import dev.orrery.server.console.history.LoadHistory;
import dev.orrery.server.console.metrics.ServerMetrics;
import dev.orrery.server.console.metrics.StorageCounters;
import dev.orrery.server.operation.OperationJournal;
import dev.orrery.server.operation.RecentOperations;
import dev.orrery.server.operation.RequestTraffic;
import dev.orrery.server.session.Transactions;
import dev.orrery.server.throughput.UsageLog;
import dev.orrery.storage.StorageEngine;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Locale;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Everything that a server has only because it has a console: observers, history and pages. */
final class EngineConsole implements AutoCloseable {
  private final LoadHistory history;
  private final ConsolePages pages;

  /** What the console looks at. */
  record Parts(
      Databases databases,
      Services services,
      Dispatcher.Parts called,
      Dispatcher dispatcher,
      OperationJournal journal,
      Transactions transactions) {}

  /**
   * Where the server is.
   *
   * @param directory where the history is kept; null for a server that keeps nothing
   * @param mongoPort known as soon as the server listens
   */
  record Place(@Nullable Path directory, IntSupplier mongoPort) {}

  EngineConsole(ServerConfig config, Parts parts, StorageCounters storage, Place place) {
    Clock clock = Clock.systemUTC();
    StorageEngine engine = parts.databases.engine();
    var usage = new UsageLog();
    var traffic = new RequestTraffic(name -> engine.find(name) != null);
    var recent = new RecentOperations(clock);
    var looked =
        new LoadHistory.Sources(
            parts.called.metering(), usage, traffic, engine::collections, clock);
    this.history = new LoadHistory(looked, place.directory);
    storage.onRepartition(history.repartitions()::add);
    Services services = parts.services;
    var running =
        new Sources.Running(
            services.network(),
            services.operations(),
            services.cursors(),
            services.sessions(),
            parts.transactions);
    var sources =
        new Sources(
            parts.databases,
            parts.called.metering(),
            usage,
            history,
            recent,
            running,
            parts.called.access(),
            new CommandRunner(parts.dispatcher),
            facts(config, place.mongoPort));
    var metrics =
        new ServerMetrics(
            new ServerMetrics.Sources(
                parts.databases,
                parts.called.metering(),
                services.metrics(),
                services.network(),
                traffic,
                services.operations(),
                services.cursors(),
                services.sessions(),
                storage));
    this.pages = new ConsolePages(sources, metrics, parts.services.security(), System::nanoTime);
    parts.called.metering().observedBy(usage);
    parts.journal.watchedBy(
        (operation, nanos) -> {
          traffic.ended(operation, nanos);
          recent.ended(operation, nanos);
        });
    history.start();
  }

  private static Sources.Facts facts(ServerConfig config, IntSupplier mongoPort) {
    ServerConfig.Tls tls = config.access().tls();
    Sources.Facts.Tls mode = Sources.Facts.Tls.OFF;
    if (tls != null) {
      mode = tls.isOnly() ? Sources.Facts.Tls.REQUIRED : Sources.Facts.Tls.POSSIBLE;
    }
    return new Sources.Facts(
        Version.current(),
        config.profile().name().toLowerCase(Locale.ROOT),
        config.storage().isEphemeral(),
        config.access().needsLogin(),
        mode,
        config.limits().logicalPartitionBytes(),
        config.limits().physicalPartitionBytes(),
        mongoPort);
  }

  ConsolePages pages() {
    return pages;
  }

  @Override
  public void close() {
    pages.close();
    history.close();
  }
}
