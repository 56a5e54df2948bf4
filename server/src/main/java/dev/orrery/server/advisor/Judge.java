package dev.orrery.server.advisor;

import dev.orrery.server.throughput.RequestCharge;
import dev.orrery.server.throughput.TopCounts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes a verdict of what was counted for a candidate. */
final class Judge {
  private static final double REFUSED_MAX = 0.01;
  private static final double SECONDS_PER_DAY = 86_400;
  private static final double YEAR_DAYS = 365.25;
  private static final int WALLS = 20;

  private final AdvisorSettings settings;
  private final double seconds;

  Judge(AdvisorSettings settings, double seconds) {
    this.settings = settings;
    this.seconds = seconds;
  }

  Verdict of(Candidate candidate, DocumentSketch documents, LoadSketch load) {
    Verdict.Values values = values(documents, load.heat().sums().length);
    Verdict.Load loaded = load(load);
    Verdict.Future future = future(documents, load, loaded);
    var sentences = new Sentences(candidate, values, loaded, future);
    return new Verdict(
        candidate,
        values,
        loaded,
        future,
        sentences.problems(documents.documents()),
        sentences.reasons(settings.uniqueIndexes()));
  }

  private static Verdict.Values values(DocumentSketch documents, int partitions) {
    List<TopCounts.Entry<KeyPlace>> heaviest = documents.heaviest(1);
    TopCounts.Entry<KeyPlace> largest = heaviest.isEmpty() ? null : heaviest.get(0);
    return new Verdict.Values(
        documents.distinct(),
        documents.isCountExact(),
        largest == null ? "" : largest.key().text(),
        largest == null ? 0 : largest.sum() - largest.error(),
        documents.missing(),
        documents.impossible(),
        documents.bytesByPartition(partitions));
  }

  private Verdict.Load load(LoadSketch load) {
    Heat heat = load.heat();
    var rates = new ArrayList<Verdict.Rate>();
    long needed = -1;
    for (Rung rung : load.rungs()) {
      rates.add(new Verdict.Rate(rung.unitsPerSecond(), rung.partitions(), rung.refusedShare()));
      needed = needed < 0 && rung.refusedShare() < REFUSED_MAX ? rung.unitsPerSecond() : needed;
    }
    List<TopCounts.Entry<KeyPlace>> hottest = load.hottest(1);
    TopCounts.Entry<KeyPlace> hot = hottest.isEmpty() ? null : hottest.get(0);
    return new Verdict.Load(
        heat.total() / RequestCharge.UNIT,
        needed,
        rates,
        heat.p99() / RequestCharge.UNIT,
        heat.shareOfBusiest(),
        heat.shareOfFullest(),
        load.readShare(),
        load.writeShare(),
        hot == null ? null : hot.key().text(),
        hot == null || heat.total() == 0 ? 0 : (hot.sum() - hot.error()) / heat.total(),
        new Verdict.Refusals(
            load.withoutKey(), load.changedInPlace(), load.transactionCount(), load.spanning()),
        Arrays.stream(heat.sums()).map(sum -> sum / RequestCharge.UNIT).toArray(),
        heat.picture(),
        heat.columnSeconds());
  }

  private Verdict.Future future(DocumentSketch documents, LoadSketch load, Verdict.Load loaded) {
    Growth growth = settings.growth();
    double inserted = load.inserted() / seconds * SECONDS_PER_DAY;
    var partitions = new int[3];
    for (int i = 0; i < partitions.length; i++) {
      double bytes = growth.after(documents.bytes(), inserted, 6.0 * i);
      partitions[i] =
          Math.max(
              Scale.partitionsFor(bytes),
              Scale.partitionsOf(Math.max(Scale.UNITS_MIN, loaded.unitsPerSecond())));
    }
    double days = Double.POSITIVE_INFINITY;
    String value = "";
    var places = new ArrayList<TopCounts.Entry<KeyPlace>>(documents.heaviest(WALLS));
    places.addAll(load.fastest(WALLS));
    for (TopCounts.Entry<KeyPlace> entry : places) {
      double perDay = load.inserted(entry.key()) / seconds * SECONDS_PER_DAY;
      double own = growth.daysUntil(Scale.LOGICAL_BYTES, documents.bytesOf(entry.key()), perDay);
      if (own < days) {
        days = own;
        value = entry.key().text();
      }
    }
    double money =
        settings
            .prices()
            .month(Math.max(Scale.UNITS_MIN, loaded.unitsPerSecond()), documents.bytes());
    return new Verdict.Future(partitions, days, value, money);
  }

  static boolean isSoon(double days) {
    return days <= YEAR_DAYS;
  }
}
