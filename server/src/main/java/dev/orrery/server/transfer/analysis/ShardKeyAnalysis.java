package dev.orrery.server.transfer.analysis;

import dev.orrery.server.advisor.DistinctCounter;
import dev.orrery.server.transfer.source.ByteSize;
import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** What one field would be like as the partition key of a collection. */
final class ShardKeyAnalysis {
  private static final int REMEMBERED_KEYS = 10_000;
  private static final int SHOWN_KEYS = 5;
  private static final int SHOWN_CHARACTERS = 60;
  private static final int RANGES = 256;
  private static final int RANGE_SHIFT = 62 - 8; // of the 62 bits of the upper half

  private final FieldPath path;
  private final DistinctCounter distinct = new DistinctCounter();
  private final HeavyKeys heavy = new HeavyKeys(REMEMBERED_KEYS);
  private final long[] rangeBytes = new long[RANGES];
  private long documents;
  private long bytes;
  private long missing;
  private long arrays;

  ShardKeyAnalysis(String path) {
    this.path = FieldPath.parse(path);
  }

  /** Counts a document in; returns the hash of its key. */
  EffectivePartitionKey add(RawDocument document) {
    RawValue value = path.findOrArray(document);
    if (value != null && value.isArray()) {
      arrays++;
    }
    if (value == null) {
      missing++;
    }
    var key = EffectivePartitionKey.of(value);
    documents++;
    bytes += document.length();
    distinct.add(mixed(key));
    heavy.add(key, document.length(), () -> text(value));
    rangeBytes[(int) (key.high() >>> RANGE_SHIFT)] += document.length();
    return key;
  }

  /** The hash of a key fills 62 of 64 bits; the multiplication spreads them. */
  private static long mixed(EffectivePartitionKey key) {
    long mixed = (key.high() ^ key.low() >>> 1) * 0x9E3779B97F4A7C15L;
    return (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
  }

  private static String text(@Nullable RawValue value) {
    if (value == null) {
      return "(missing)";
    }
    String json = new BsonDocument("k", value.toBsonValue()).toJson();
    String text = json.substring("{\"k\": ".length(), json.length() - 1);
    return text.length() <= SHOWN_CHARACTERS
        ? text
        : text.substring(0, SHOWN_CHARACTERS - 3) + "...";
  }

  /** Documents that no server takes with this key. */
  long refused() {
    return arrays;
  }

  long oversized(long limit) {
    return heavy.countAbove(limit);
  }

  List<String> report(long limit, int partitions) {
    var lines = new ArrayList<String>();
    long keys = heavy.isExact() ? heavy.size() : distinct.estimate();
    lines.add(
        "  shard key %s: %s%,d values, %.1f documents each on average"
            .formatted(
                path.dotted(),
                heavy.isExact() ? "" : "about ",
                keys,
                keys == 0 ? 0 : documents / (double) keys));
    for (HeavyKeys.Heavy key : heavy.top(SHOWN_KEYS)) {
      lines.add(
          "    %s%s: %,d documents, %s, %.1f %% of all"
              .formatted(
                  key.missed() == 0 ? "" : "at least ",
                  key.text(),
                  key.documents(),
                  ByteSize.text(key.bytes()),
                  100.0 * key.bytes() / Math.max(1, bytes)));
    }
    addProblems(lines, limit);
    if (partitions > 1) {
      lines.add(spread(partitions));
    }
    return lines;
  }

  private void addProblems(List<String> lines, long limit) {
    if (missing > 0) {
      lines.add(
          "    %,d documents lack it: they share one partition, and --profile cosmos refuses them (61)"
              .formatted(missing));
    }
    if (arrays > 0) {
      lines.add("    %,d documents have an array there and will be refused (61)".formatted(arrays));
    }
    long oversized = oversized(limit);
    if (oversized > 0) {
      lines.add(
          "    %,d values hold more than %s, the most a partition key can hold: choose another key"
              .formatted(oversized, ByteSize.text(limit)));
    }
  }

  /** By 256 even ranges, so an estimate unless the number of partitions divides that. */
  private String spread(int partitions) {
    var sums = new double[partitions];
    for (int i = 0; i < RANGES; i++) {
      sums[(int) ((long) i * partitions / RANGES)] += rangeBytes[i];
    }
    double most = 0;
    for (double sum : sums) {
      most = Math.max(most, sum);
    }
    return "    over %,d partitions the fullest gets about %.1f %% (even would be %.1f %%)"
        .formatted(partitions, 100 * most / Math.max(1, bytes), 100.0 / partitions);
  }
}
