package dev.orrery.server.advisor;

import dev.orrery.server.throughput.TopCounts;
import dev.orrery.value.RawDocument;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the documents say of one candidate, in memory of a fixed size. */
final class DocumentSketch {
  /** A value with more than a thousandth of all bytes is surely among them. */
  static final int HEAVY_MAX = 1_000;

  private static final int RANGES = 64;

  private final Candidate candidate;
  private final DistinctCounter distinct = new DistinctCounter();
  private final TopCounts<KeyPlace> heavy = new TopCounts<>(HEAVY_MAX);
  private final long[] rangeBytes = new long[RANGES];
  private long documents;
  private long bytes;
  private long missing;
  private long impossible;
  private Map<KeyPlace, Long> known = Map.of();
  private double averageOfOthers;

  DocumentSketch(Candidate candidate) {
    this.candidate = candidate;
  }

  void add(RawDocument document) {
    Candidate.Key key = candidate.of(document);
    documents++;
    bytes += document.length();
    if (!key.isPossible()) {
      impossible++;
      return;
    }
    missing += key.value() == null ? 1 : 0;
    KeyPlace place = KeyPlace.of(key.value());
    distinct.add(place.mixed());
    heavy.add(place, document.length(), KeyPlace::kept);
    rangeBytes[place.partition(RANGES)] += document.length();
  }

  /** To be called when all documents were added. */
  void finish() {
    known = new HashMap<>();
    long sum = 0;
    for (TopCounts.Entry<KeyPlace> entry : heavy.top(HEAVY_MAX)) {
      long certain = entry.sum() - entry.error();
      if (entry.error() < entry.sum() / 10) {
        known.put(entry.key(), certain);
        sum += certain;
      }
    }
    long others = distinct() - known.size();
    averageOfOthers = others <= 0 ? 0 : Math.max(0, bytes - sum) / (double) others;
  }

  /** How many bytes the documents with that value have, about. */
  double bytesOf(KeyPlace place) {
    Long own = known.get(place);
    return own == null ? averageOfOthers : own;
  }

  long documents() {
    return documents;
  }

  long bytes() {
    return bytes;
  }

  long missing() {
    return missing;
  }

  /** Documents whose value is or lies in an array, or of which no value can be made. */
  long impossible() {
    return impossible;
  }

  long distinct() {
    boolean isExact = heavy.top(HEAVY_MAX).size() < HEAVY_MAX;
    return isExact ? heavy.top(HEAVY_MAX).size() : distinct.estimate();
  }

  boolean isCountExact() {
    return heavy.top(HEAVY_MAX).size() < HEAVY_MAX;
  }

  /** The values with the most bytes, the largest first. */
  List<TopCounts.Entry<KeyPlace>> heaviest(int count) {
    return heavy.top(count);
  }

  /** How many bytes each of so many partitions would have, by 64 even ranges. */
  double[] bytesByPartition(int partitions) {
    var sums = new double[partitions];
    for (int i = 0; i < RANGES; i++) {
      double from = (double) i * partitions / RANGES;
      double to = (double) (i + 1) * partitions / RANGES;
      for (int p = (int) from; p < Math.min(partitions, Math.ceil(to)); p++) {
        double part = Math.min(to, p + 1.0) - Math.max(from, p);
        sums[p] += rangeBytes[i] * part / (to - from);
      }
    }
    return sums;
  }
}
