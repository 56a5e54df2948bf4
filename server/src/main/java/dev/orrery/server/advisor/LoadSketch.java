package dev.orrery.server.advisor;

import dev.orrery.server.throughput.TopCounts;
import dev.orrery.storage.partition.EffectivePartitionKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the workload would be with one candidate as the key, in memory of a fixed size. */
final class LoadSketch {
  private static final int HOT_MAX = 1_000;
  private static final int TRANSACTIONS_MAX = 10_000;
  private static final KeyPlace SEVERAL = new KeyPlace(EffectivePartitionKey.MAX, null, "");

  private final Candidate candidate;
  private final Pricing pricing;
  private final int partitions;
  private final Heat heat;
  private final List<Rung> rungs;
  private final TopCounts<KeyPlace> hot = new TopCounts<>(HOT_MAX);
  private final TopCounts<KeyPlace> grown = new TopCounts<>(HOT_MAX);
  private final Map<Long, KeyPlace> transactions =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, KeyPlace> eldest) {
          return size() > TRANSACTIONS_MAX;
        }
      };

  private double reads;
  private double readsInOne;
  private double writes;
  private double writesInOne;
  private long inserted;
  private long withoutKey;
  private long changedInPlace;
  private long spanning;
  private long transactionCount;

  /**
   * @param partitions how many there are at least
   * @param rates at which the workload is tried, in request units per second, rising
   */
  LoadSketch(Candidate candidate, Pricing pricing, int partitions, List<Long> rates) {
    this.candidate = candidate;
    this.pricing = pricing;
    this.partitions = partitions;
    this.heat = new Heat(partitions);
    this.rungs = new ArrayList<>();
    for (long rate : rates) {
      rungs.add(new Rung(rate, Math.max(partitions, Scale.partitionsOf(rate))));
    }
  }

  void add(Statement statement, long nanos, long transaction) {
    Pricing.Target target = pricing.target(statement);
    Pricing.Cost cost = pricing.of(statement, target, partitions);
    heat.add(cost, nanos);
    count(statement, target, cost);
    Pricing.Cost last = cost;
    int lastPartitions = partitions;
    for (Rung rung : rungs) {
      if (rung.partitions() != lastPartitions) {
        last = pricing.of(statement, target, rung.partitions());
        lastPartitions = rung.partitions();
      }
      rung.add(last, nanos);
    }
    look(statement, target);
    if (transaction != 0) {
      join(transaction, target.only());
    }
  }

  private void count(Statement statement, Pricing.Target target, Pricing.Cost cost) {
    boolean isInOne = target.only() != null;
    if (statement.kind().isWrite) {
      writes += cost.total();
      writesInOne += isInOne ? cost.total() : 0;
    } else {
      reads += cost.total();
      readsInOne += isInOne ? cost.total() : 0;
    }
    if (target.only() != null) {
      hot.add(target.only(), Math.round(cost.total()), KeyPlace::kept);
    }
    if (statement.kind() == Statement.Kind.INSERT) {
      inserted += statement.document().length();
      if (target.only() != null) {
        grown.add(target.only(), statement.document().length(), KeyPlace::kept);
      }
    }
  }

  /** What Cosmos DB would not do. */
  private void look(Statement statement, Pricing.Target target) {
    if (statement.kind().needsKey && target.only() == null) {
      withoutKey++;
    }
    boolean isTouched = statement.changed().stream().anyMatch(candidate::isTouchedBy);
    if (isTouched || isMoved(statement, target)) {
      changedInPlace++;
    }
  }

  /** Whether a replacement has another key than the document it replaces. */
  private boolean isMoved(Statement statement, Pricing.Target target) {
    boolean isReplacement = statement.filter() != null && statement.document() != null;
    if (!isReplacement || target.only() == null || candidate.isId()) {
      return false;
    }
    Candidate.Key key = candidate.of(statement.document());
    return !key.isPossible() || !KeyPlace.of(key.value()).equals(target.only());
  }

  private void join(long transaction, @Nullable KeyPlace key) {
    KeyPlace before = transactions.get(transaction);
    if (before == null) {
      transactionCount++;
      transactions.put(transaction, key == null ? SEVERAL : key.kept());
      spanning += key == null ? 1 : 0;
    } else if (!before.equals(SEVERAL) && !before.equals(key)) {
      transactions.put(transaction, SEVERAL);
      spanning++;
    }
  }

  void finish() {
    heat.finish();
  }

  Heat heat() {
    return heat;
  }

  List<Rung> rungs() {
    return rungs;
  }

  double readShare() {
    return reads == 0 ? 1 : readsInOne / reads;
  }

  double writeShare() {
    return writes == 0 ? 1 : writesInOne / writes;
  }

  double readUnits() {
    return reads;
  }

  double writeUnits() {
    return writes;
  }

  long withoutKey() {
    return withoutKey;
  }

  long changedInPlace() {
    return changedInPlace;
  }

  long transactionCount() {
    return transactionCount;
  }

  long spanning() {
    return spanning;
  }

  /** Bytes of new documents. */
  long inserted() {
    return inserted;
  }

  /** Bytes of new documents with that value, at the least. */
  long inserted(KeyPlace key) {
    return grown.certain(key);
  }

  /** The values that most is spent on, the dearest first. */
  List<TopCounts.Entry<KeyPlace>> hottest(int count) {
    return hot.top(count);
  }

  /** The values that grow most, the fastest first. */
  List<TopCounts.Entry<KeyPlace>> fastest(int count) {
    return grown.top(count);
  }
}
