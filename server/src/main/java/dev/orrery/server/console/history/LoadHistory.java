package dev.orrery.server.console.history;

import dev.orrery.lane.Lane;
import dev.orrery.server.operation.RequestTraffic;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.throughput.UsageLog;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the counters of the server once a second and remembers what they say: in memory, and in
 * a file from one run to the next.
 */
public final class LoadHistory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoadHistory.class);
  private static final long SAVE_SECONDS = 300;
  private static final long STOP_SECONDS = 5;

  /** Seconds that the counters remember, less one that may end meanwhile. */
  private static final long SECONDS_BACK_MAX = Metering.WINDOW_SECONDS_MAX - 2L;

  private final HeatHistory heat = new HeatHistory();
  private final UsageHistory usage = new UsageHistory();
  private final RepartitionLog repartitions;
  private final LiveTraffic live;
  private final Sources sources;
  private final @Nullable HistoryFile file;
  private final ScheduledExecutorService timer;
  private long lastSecond;
  private long savedSecond;

  /** What is looked at. */
  public record Sources(
      Metering metering,
      UsageLog usage,
      RequestTraffic traffic,
      Supplier<List<CollectionStore>> collections,
      Clock clock) {}

  /**
   * @param directory null to keep nothing from one run to the next
   */
  public LoadHistory(Sources sources, @Nullable Path directory) {
    this.sources = sources;
    this.repartitions = new RepartitionLog(sources.clock);
    this.live = new LiveTraffic(sources.traffic);
    this.file = directory == null ? null : new HistoryFile(directory);
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = Lane.BACKGROUND.thread("console-history", task);
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Remembers from now on. */
  public void start() {
    if (file != null) {
      file.read(contents());
    }
    live.begin(sources.clock.millis() / 1_000 - 1);
    lastSecond = sources.metering.second() - 1;
    savedSecond = lastSecond;
    timer.scheduleAtFixedRate(() -> lookSafely(false), 100, 1_000, TimeUnit.MILLISECONDS);
  }

  /**
   * @param isLast whether the present second is looked at too, of which nothing more will come
   */
  private void lookSafely(boolean isLast) {
    try {
      look(isLast);
    } catch (RuntimeException | Error e) { // else the timer would end
      LOG.error("a second of the console's history is lost", e);
    }
  }

  private synchronized void look(boolean isLast) {
    long present = sources.metering.second() + (isLast ? 1 : 0);
    long calendar = sources.clock.millis() / 1_000 - sources.metering.second();
    long first = Math.max(lastSecond + 1, present - SECONDS_BACK_MAX);
    boolean isDue = false;
    for (long second = first; second < present; second++) {
      lastSecond = second; // each is looked at once, also if that fails
      look(second, second + calendar);
      isDue |= (second + calendar) % UsageHistory.FINEST_SECONDS == UsageHistory.FINEST_SECONDS - 1;
    }
    if (isDue) {
      usage.add(present + calendar - 1, sources.usage.take());
    }
    if (present - savedSecond >= SAVE_SECONDS) {
      savedSecond = present;
      heat.retain(existing());
      save();
    }
  }

  private void look(long second, long epochSecond) {
    Map<Namespace, Double> units = new HashMap<>();
    for (CollectionStore collection : sources.metering.spenders()) {
      UUID id = collection.info().uuid();
      var sum = new double[1];
      sources.metering.spentIn(
          second,
          collection,
          (partition, charge, requests, refused) -> {
            double spent = charge.toDouble();
            sum[0] += spent;
            Long rate = sources.metering.governor().rate(collection, partition);
            double limit = rate == null ? 0 : rate;
            heat.add(id, partition, new HeatHistory.Second(epochSecond, spent, limit, refused));
          });
      units.put(collection.info().namespace(), sum[0]);
    }
    live.add(epochSecond, units);
  }

  private Set<UUID> existing() {
    return sources.collections.get().stream()
        .map(collection -> collection.info().uuid())
        .collect(Collectors.toSet());
  }

  private HistoryFile.Contents contents() {
    return new HistoryFile.Contents(heat, usage, repartitions);
  }

  private void save() {
    if (file == null) {
      return;
    }
    try {
      file.write(contents());
    } catch (IOException e) {
      LOG.warn("the console's history could not be saved: {}", e.toString());
    }
  }

  public HeatHistory heat() {
    return heat;
  }

  public UsageHistory usage() {
    return usage;
  }

  public RepartitionLog repartitions() {
    return repartitions;
  }

  public LiveTraffic live() {
    return live;
  }

  @Override
  public void close() {
    timer.shutdown();
    try {
      if (timer.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        lookSafely(true);
        usage.add(sources.clock.millis() / 1_000, sources.usage.take());
        save();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
