package dev.orrery.server.console.metrics;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.command.CommandMetrics;
import dev.orrery.server.command.NetworkMeters;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.operation.Outcome;
import dev.orrery.server.operation.RequestTraffic;
import dev.orrery.server.operation.Traffic;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageFigures;
import dev.orrery.value.Namespace;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a server. What is told is read off when somebody asks, out of counters that are
 * there anyway; the registry itself is made for the first who does.
 */
public final class ServerMetrics implements AutoCloseable {
  /** Where there are more, single partitions are not told of. */
  static final int PARTITIONS_MAX = 2_000;

  private static final double NANOS = 1e9;

  /** What is told of. */
  public record Sources(
      Databases databases,
      Metering metering,
      CommandMetrics commands,
      NetworkMeters network,
      RequestTraffic traffic,
      Operations operations,
      CursorRegistry cursors,
      Sessions sessions,
      StorageCounters storage) {}

  private final Sources sources;
  private @Nullable PrometheusMeterRegistry registry;
  private @Nullable JvmGcMetrics garbage;

  public ServerMetrics(Sources sources) {
    this.sources = sources;
  }

  public static String contentType() {
    return PrometheusTextFormatWriter.CONTENT_TYPE;
  }

  /** Everything in the text form of Prometheus. */
  public synchronized byte[] scrape() {
    if (registry == null) {
      registry = open();
    }
    var out = new ByteArrayOutputStream(1 << 14);
    try {
      PrometheusTextFormatWriter.create()
          .write(
              out, registry.getPrometheusRegistry().scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail like that
    }
    return out.toByteArray();
  }

  private PrometheusMeterRegistry open() {
    var opened = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new ClassLoaderMetrics().bindTo(opened);
    new FileDescriptorMetrics().bindTo(opened);
    new JvmMemoryMetrics().bindTo(opened);
    new JvmThreadMetrics().bindTo(opened);
    new ProcessorMetrics().bindTo(opened);
    new UptimeMetrics().bindTo(opened);
    garbage = new JvmGcMetrics();
    garbage.bindTo(opened);
    opened.getPrometheusRegistry().register((MultiCollector) this::collect);
    return opened;
  }

  private MetricSnapshots collect() {
    var families = new MetricFamilies();
    requests(families);
    connections(families);
    collections(families);
    storage(families);
    return families.snapshots();
  }

  private void requests(MetricFamilies families) {
    sources
        .commands
        .commands()
        .forEach(
            (name, counts) -> {
              families.counter(
                  "orrery_commands", "Commands answered.", counts.total(), "command", name);
              families.counter(
                  "orrery_commands_failed",
                  "Commands answered with an error.",
                  counts.failed(),
                  "command",
                  name);
              families.counter(
                  "orrery_command_seconds",
                  "Time spent on commands that succeeded.",
                  counts.nanos() / NANOS,
                  "command",
                  name);
            });
    for (RequestTraffic.Kind kind : RequestTraffic.Kind.values()) {
      String label = kind.name().toLowerCase(Locale.ROOT);
      Traffic traffic = sources.traffic.of(kind);
      for (Outcome outcome : Outcome.values()) {
        families.counter(
            "orrery_requests",
            "Requests by what became of them.",
            traffic.count(outcome),
            "kind",
            label,
            "result",
            outcome.name().toLowerCase(Locale.ROOT));
      }
      families.histogram(
          "orrery_request_duration_seconds",
          "How long requests took.",
          traffic.latency(),
          "kind",
          label);
    }
    families.counter(
        "orrery_internal_errors",
        "Answers that were a mistake of the server's; 0 on a healthy one.",
        sources.commands.internalErrors());
  }

  private void connections(MetricFamilies families) {
    NetworkMeters network = sources.network;
    families.gauge("orrery_connections", "Connections that are open.", network.connections());
    families.counter(
        "orrery_connections_created", "Connections since the start.", network.connectionsCreated());
    families.counter(
        "orrery_network_received_bytes", "Bytes of requests, unpacked.", network.bytesIn());
    families.counter(
        "orrery_network_sent_bytes", "Bytes of replies, unpacked.", network.bytesOut());
    families.gauge(
        "orrery_operations_running",
        "Requests that are being worked on.",
        sources.operations.running().size());
    families.gauge("orrery_cursors_open", "Cursors that are open.", sources.cursors.count());
    families.gauge("orrery_sessions", "Logical sessions.", sources.sessions.count());
    MemoryBudget memory = sources.operations.memory();
    families.gauge(
        "orrery_memory_budget_limit_bytes",
        "Heap that requests may take together.",
        memory.bytesMax());
    for (MemoryBudget.Use use : MemoryBudget.Use.values()) {
      families.gauge(
          "orrery_memory_budget_used_bytes",
          "Heap that requests take, by what for.",
          memory.usedBytes(use),
          "use",
          use.name().toLowerCase(Locale.ROOT));
    }
    families.counter(
        "orrery_memory_budget_refusals",
        "How often somebody went to disk, waited or failed for want of memory.",
        memory.refusals());
  }

  private void collections(MetricFamilies families) {
    List<CollectionStore> all = sources.databases.engine().collections();
    long partitions = all.stream().mapToLong(one -> one.partitions().size()).sum();
    families.gauge("orrery_collections", "Collections and views.", all.size());
    families.gauge("orrery_partitions", "Physical partitions.", partitions);
    for (CollectionStore collection : all) {
      if (!collection.info().isView()) {
        collection(families, collection, partitions <= PARTITIONS_MAX);
      }
    }
  }

  private void collection(
      MetricFamilies families, CollectionStore collection, boolean hasPartitions) {
    Namespace name = collection.info().namespace();
    String[] labels = {"database", name.database(), "collection", name.collection()};
    Throughput own = Throughput.fromBson(collection.info().throughput());
    if (own.isProvisioned()) {
      families.gauge(
          "orrery_provisioned_request_units_per_second",
          "What was provisioned for the collection; with autoscale what it stands at.",
          sources.metering.provisionedNow(collection, own),
          labels);
    }
    var sums = new double[2];
    sources.metering.spent(
        collection,
        (partition, charge, requests, refused) -> {
          sums[0] += charge.toDouble();
          sums[1] += refused;
          if (hasPartitions) {
            partition(families, partition, labels, new double[] {charge.toDouble(), refused});
          }
        });
    families.counter("orrery_request_units", "Request units spent.", sums[0], labels);
    families.counter(
        "orrery_throttled_partition_visits",
        "How often a partition had no request units left for a request.",
        sums[1],
        labels);
    if (hasPartitions) {
      for (PartitionStore partition : collection.partitions()) {
        size(families, collection, partition, labels);
      }
    }
  }

  private static void partition(
      MetricFamilies families, int partition, String[] collection, double[] values) {
    String[] labels = with(collection, "partition", Integer.toString(partition));
    families.counter(
        "orrery_partition_request_units", "Request units spent by partition.", values[0], labels);
    families.counter(
        "orrery_partition_throttled",
        "Requests for which the partition had no request units left.",
        values[1],
        labels);
  }

  private void size(
      MetricFamilies families,
      CollectionStore collection,
      PartitionStore partition,
      String[] names) {
    String[] labels = with(names, "partition", Integer.toString(partition.id()));
    Long rate = sources.metering.governor().rate(collection, partition.id());
    if (rate != null) {
      families.gauge(
          "orrery_partition_request_units_per_second_limit",
          "Request units a second that the partition may spend.",
          rate,
          labels);
    }
    PartitionStatistics statistics = partition.statisticsAtHand();
    if (statistics != null) {
      families.gauge("orrery_partition_bytes", "Bytes of documents.", statistics.bytes(), labels);
      families.gauge("orrery_partition_documents", "Documents.", statistics.documents(), labels);
      families.gauge(
          "orrery_partition_keys", "Distinct partition key values.", statistics.keys(), labels);
    }
  }

  private static String[] with(String[] labels, String name, String value) {
    String[] more = java.util.Arrays.copyOf(labels, labels.length + 2);
    more[labels.length] = name;
    more[labels.length + 1] = value;
    return more;
  }

  private void storage(MetricFamilies families) {
    StorageCounters counters = sources.storage;
    families.histogram(
        "orrery_log_force_seconds", "How long the log took to reach the disk.", counters.forces());
    families.counter("orrery_log_commits", "Commits that waited for the disk.", counters.commits());
    families.counter("orrery_checkpoints", "Checkpoints made.", counters.checkpoints());
    families.counter(
        "orrery_checkpoint_seconds", "Time spent on them.", counters.checkpointNanos() / NANOS);
    families.counter(
        "orrery_log_segments_freed", "Segments that compaction freed.", counters.freedSegments());
    families.counter("orrery_log_freed_bytes", "And their bytes.", counters.freedBytes());
    families.counter("orrery_partition_splits", "Splits of partitions.", counters.splits());
    families.counter("orrery_partition_merges", "Merges of partitions.", counters.merges());
    StorageFigures figures = sources.databases.engine().figures();
    if (figures.logBytes() >= 0) {
      families.gauge("orrery_log_bytes", "Size of the log.", figures.logBytes());
      families.gauge("orrery_log_segments", "Files of the log.", figures.logSegments());
      families.gauge(
          "orrery_log_dead_bytes", "What of the log is garbage, about.", figures.deadBytes());
      families.gauge("orrery_disk_free_bytes", "Room left on the disk.", figures.freeBytes());
    }
  }

  @Override
  public synchronized void close() {
    if (garbage != null) {
      garbage.close();
    }
    if (registry != null) {
      registry.close();
    }
  }
}
