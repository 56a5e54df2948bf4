package dev.orrery.benchmarks.report;

import static dev.orrery.benchmarks.report.Goal.Sense.AT_LEAST;
import static dev.orrery.benchmarks.report.Goal.Sense.AT_MOST;

import dev.orrery.benchmarks.report.Results.Case;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** The goals, each with what it is read from. */
final class Goals {
  private static final String OURS = "orrery";
  private static final String PEER = "mongo-java-server";
  private static final String CEILING = "ceiling";
  private static final String MANY = "64 connections";

  private Goals() {}

  /** Those of pipelines are named with the number of documents in the results. */
  static List<Goal> all(Results results) {
    var goals = new ArrayList<Goal>();
    addPointRead(goals);
    for (String workload : List.of("a", "b", "c", "f")) {
      goals.add(ycsb(workload, "zipfian", 1.5));
    }
    goals.add(ycsb("d", "latest", 1.5));
    goals.add(ycsb("e", "zipfian", 2));
    for (String workload : List.of("a", "b", "c", "d", "f")) {
      goals.add(ycsb(workload, "uniform", 1.5));
    }
    goals.add(ycsb("e", "uniform", 2));
    addWrites(goals);
    addAggregations(goals, results);
    addPartitions(goals);
    addStreams(goals);
    addFootprint(goals);
    return goals;
  }

  private static void addPointRead(List<Goal> goals) {
    var read = new Case("point-read", MANY, OURS);
    goals.add(
        new Goal(
            "Point read, requests/s over the ceiling's",
            ratio(read, read.of(CEILING), Metric.REQUESTS_PER_SECOND),
            AT_LEAST,
            0.8));
    goals.add(
        new Goal(
            "Point read, CPU per request over the ceiling's",
            ratio(read, read.of(CEILING), Metric.SERVER_CPU_MICROS),
            AT_MOST,
            1.4));
    goals.add(
        new Goal(
            "Point read, CPU per request over mongo-java-server's",
            ratio(read, read.of(PEER), Metric.SERVER_CPU_MICROS),
            AT_MOST,
            0.5));
  }

  /** Requests per CPU second over the peer's, which is its cost over ours. */
  private static Goal ycsb(String workload, String keys, double bound) {
    var ours = new Case("ycsb-" + workload, keys + ", " + MANY, OURS);
    return new Goal(
        "YCSB "
            + workload.toUpperCase(Locale.ROOT)
            + ", "
            + keys
            + " keys, requests per CPU second over mongo-java-server's",
        ratio(ours.of(PEER), ours, Metric.SERVER_CPU_MICROS),
        AT_LEAST,
        bound);
  }

  private static void addWrites(List<Goal> goals) {
    var insert = new Case("durable-insert", MANY, OURS);
    goals.add(
        new Goal(
            "Durable inserts/s over a bare log's",
            ratio(insert, insert.of("bare log"), Metric.REQUESTS_PER_SECOND),
            AT_LEAST,
            0.8));
    for (String partitions : List.of("1 partition", "16 partitions")) {
      goals.add(
          new Goal(
              "Bulk load into " + partitions + ", MB of documents per CPU second",
              value("bulk-load", partitions + ", 0 indexes", Metric.MEGABYTES_PER_CPU_SECOND),
              AT_LEAST,
              150));
    }
  }

  /** At least level everywhere; three times as fast where a filter or an index helps. */
  private static void addAggregations(List<Goal> goals, Results results) {
    goals.add(aggregation("$match + $group", 3, results));
    goals.add(aggregation("$lookup by index", 3, results));
    goals.add(aggregation("$sort + $limit", 1, results));
    goals.add(aggregation("$unwind + $group", 1, results));
  }

  private static Goal aggregation(String pipeline, double bound, Results results) {
    var ours =
        results.cases().stream()
            .filter(row -> row.workload().equals("aggregate") && row.target().equals(OURS))
            .filter(row -> row.variant().startsWith(pipeline + " on "))
            .findFirst()
            .orElse(new Case("aggregate", pipeline, OURS));
    return new Goal(
        ours.variant() + ", per CPU second over mongo-java-server's",
        ratio(ours.of(PEER), ours, Metric.SERVER_CPU_MICROS),
        AT_LEAST,
        bound);
  }

  private static void addPartitions(List<Goal> goals) {
    goals.add(
        new Goal(
            "Targeted query, CPU at 64 partitions over 1",
            ratio(
                new Case("fan-out", "targeted, 64 partitions", OURS),
                new Case("fan-out", "targeted, 1 partition", OURS),
                Metric.SERVER_CPU_MICROS),
            AT_MOST,
            1.05));
    goals.add(
        new Goal(
            "Fan-out query, CPU at 64 partitions over 1",
            ratio(
                new Case("fan-out", "all, 64 partitions", OURS),
                new Case("fan-out", "all, 1 partition", OURS),
                Metric.SERVER_CPU_MICROS),
            AT_MOST,
            64));
    var busy = new Case("splitting", "reads while splitting", OURS);
    var quiet = new Case("splitting", "reads, no split", OURS);
    goals.add(
        new Goal(
            "Requests/s while splitting over without",
            ratio(busy, quiet, Metric.REQUESTS_PER_SECOND),
            AT_LEAST,
            0.95));
    goals.add(
        new Goal(
            "p99 of point reads while splitting over without",
            ratio(busy, quiet, Metric.P99_MICROS),
            AT_MOST,
            5));
  }

  private static void addStreams(List<Goal> goals) {
    var quiet = new Case("streams", "inserts, no stream", OURS);
    var watched = new Case("streams", "inserts, 200 streams on other documents", OURS);
    goals.add(
        new Goal(
            "Inserts/s beside 200 change streams over without",
            ratio(watched, quiet, Metric.REQUESTS_PER_SECOND),
            AT_LEAST,
            0.9));
    String latency = "from acknowledgement to event";
    goals.add(
        new Goal(
            "From acknowledged write to event, p50, us",
            value("streams", latency, Metric.P50_MICROS),
            AT_MOST,
            5000));
    goals.add(
        new Goal(
            "From acknowledged write to event, p99, us",
            value("streams", latency, Metric.P99_MICROS),
            AT_MOST,
            50_000));
  }

  private static void addFootprint(List<Goal> goals) {
    goals.add(
        new Goal("Seconds to ready", value("start-up", "empty", Metric.READY_SECONDS), AT_MOST, 1));
    goals.add(
        new Goal(
            "Resident MB, idle", value("start-up", "empty", Metric.IDLE_MEGABYTES), AT_MOST, 150));
    goals.add(
        new Goal(
            "Bytes on disk per live byte, after a load",
            value("footprint", "1 KB documents", Metric.DISK_TO_LIVE),
            AT_MOST,
            1.3));
  }

  private static Function<Results, Optional<Spread>> ratio(Case over, Case under, Metric metric) {
    return results -> results.ratio(over, under, metric);
  }

  private static Function<Results, Optional<Spread>> value(
      String workload, String variant, Metric metric) {
    return results -> results.spread(new Case(workload, variant, OURS), metric);
  }
}
