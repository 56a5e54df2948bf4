package dev.orrery.server.console.api;

import dev.orrery.server.console.history.HeatHistory;
import dev.orrery.server.console.history.Resolution;
import dev.orrery.server.console.history.UsageHistory;
import dev.orrery.server.console.http.JsonText;
import dev.orrery.server.throughput.UsageLog;
import dev.orrery.storage.CollectionStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Says in words what a heat map shows. */
final class Diagnoses {
  /** A partition is hot with half of the load, or twice its fair part if that is more. */
  private static final double HOT_SHARE = 0.5;

  private static final double HOT_TIMES = 2;
  private static final double DOMINANT_SHARE = 0.3;
  private static final double FULL = 1;
  private static final int KEY_CHARACTERS_MAX = 80;

  private Diagnoses() {}

  /**
   * A sentence.
   *
   * @param severity {@code good}, {@code note} or {@code bad}
   * @param partition that it is about, or -1
   */
  record Diagnosis(String severity, String text, int partition) {}

  /** What is looked at. */
  record Window(long first, int count, Map<Integer, HeatHistory.Load> loads) {
    double total() {
      return loads.values().stream().mapToDouble(HeatHistory.Load::sum).sum();
    }
  }

  static List<Diagnosis> of(
      CollectionStore collection,
      Resolution resolution,
      Window window,
      List<UsageHistory.Use> uses) {
    double total = window.total();
    String span = span(resolution);
    if (total == 0) {
      return List.of(new Diagnosis("note", "No requests in " + span + ".", -1));
    }
    var list = new ArrayList<Diagnosis>();
    int partitions = collection.partitions().size();
    Integer hottest = hottest(window);
    double share = window.loads.get(hottest).sum() / total;
    boolean isHot = share >= HOT_SHARE && share >= HOT_TIMES / partitions && partitions > 1;
    if (isHot) {
      String text =
          "Partition %d took %s of the request units of %s"
              .formatted(hottest, percent(share), span);
      String key = dominantKey(collection, uses, hottest, window.loads.get(hottest).sum());
      list.add(new Diagnosis("bad", text + (key == null ? "." : ": " + key + "."), hottest));
    }
    refusals(list, window, span);
    fanOut(list, uses, total, partitions);
    if (list.isEmpty()) {
      list.add(
          new Diagnosis(
              "good",
              partitions == 1
                  ? "There is one partition, and it had request units left in %s.".formatted(span)
                  : "The load of %s is spread: the busiest of %d partitions took %s."
                      .formatted(span, partitions, percent(share)),
              -1));
    }
    return list;
  }

  private static String span(Resolution resolution) {
    return switch (resolution) {
      case SECOND -> "the last two minutes";
      case MINUTE -> "the last three hours";
      case HOUR -> "the last ten days";
    };
  }

  private static Integer hottest(Window window) {
    return window.loads.entrySet().stream()
        .max((one, other) -> Double.compare(one.getValue().sum(), other.getValue().sum()))
        .orElseThrow()
        .getKey();
  }

  private static @Nullable String dominantKey(
      CollectionStore collection, List<UsageHistory.Use> uses, int partition, double units) {
    Map<BsonValue, Double> sums = new HashMap<>();
    for (UsageHistory.Use use : uses) {
      if (use.partition() == partition && use.key() != null) {
        sums.merge(use.key(), use.units(), Double::sum);
      }
    }
    Map.Entry<BsonValue, Double> top =
        sums.entrySet().stream().max(Map.Entry.comparingByValue()).orElse(null);
    if (top == null || top.getValue() / units < DOMINANT_SHARE) {
      return null;
    }
    String share = percent(Math.min(1, top.getValue() / units));
    String path = collection.info().partitionKey();
    return UsageLog.isMissing(top.getKey())
        ? "%s of that is documents without %s".formatted(share, path)
        : "%s of that is %s %s".formatted(share, path, text(top.getKey()));
  }

  private static String text(BsonValue key) {
    String text = key.isString() ? key.asString().getValue() : JsonText.extended(key);
    return text.length() <= KEY_CHARACTERS_MAX ? text : text.substring(0, KEY_CHARACTERS_MAX) + "…";
  }

  private static void refusals(List<Diagnosis> list, Window window, String span) {
    long refused = window.loads.values().stream().mapToLong(HeatHistory.Load::refusedSum).sum();
    if (refused == 0) {
      return;
    }
    int partition = 0;
    long most = -1;
    for (Map.Entry<Integer, HeatHistory.Load> each : window.loads.entrySet()) {
      if (each.getValue().refusedSum() > most) {
        most = each.getValue().refusedSum();
        partition = each.getKey();
      }
    }
    int full = 0;
    for (double peak : window.loads.get(partition).peaks()) {
      full += peak >= FULL ? 1 : 0;
    }
    list.add(
        new Diagnosis(
            "bad",
            ("Requests were refused (16500) %,d times in %s, %s of them by partition %d, which spent"
                    + " its whole budget in %d intervals.")
                .formatted(refused, span, percent((double) most / refused), partition, full),
            partition));
  }

  private static void fanOut(
      List<Diagnosis> list, List<UsageHistory.Use> uses, double total, int partitions) {
    if (partitions == 1) {
      return;
    }
    double units = 0;
    UsageHistory.Use dearest = null;
    for (UsageHistory.Use use : uses) {
      if (use.partition() == UsageLog.FAN_OUT) {
        units += use.units();
        dearest = dearest == null ? use : dearest;
      }
    }
    if (dearest != null && units / total >= DOMINANT_SHARE) {
      list.add(
          new Diagnosis(
              "note",
              "Requests that name no partition key and ask several partitions took %s: %s."
                  .formatted(percent(Math.min(1, units / total)), dearest.shape()),
              -1));
    }
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f %%", share * 100);
  }
}
