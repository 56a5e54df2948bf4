package dev.orrery.server.throughput;

import dev.orrery.language.error.BsonText;
import java.util.Map;
import org.bson.BsonUndefined;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notices that one partition or one key takes most of what a collection spends. */
final class HotSpots {
  private static final Logger LOG = LoggerFactory.getLogger(HotSpots.class);

  /** Less than this in a minute is never hot: 10 request units per second. */
  private static final long NOTEWORTHY = 10L * UnitWindow.SECONDS * RequestCharge.UNIT;

  /**
   * The partition that took most of a minute's units, where it or a single key took more than half.
   *
   * @param key the value that took more than half, or null
   */
  record HotSpot(int partition, double share, @Nullable PartitionKeyValue key, double keyShare) {}

  /** The hot partition of the last minute, or null. */
  static @Nullable HotSpot find(CollectionTotals totals, long second) {
    Map<Integer, UnitWindow> partitions = totals.partitions();
    long all = 0;
    long most = 0;
    int busiest = 0;
    for (var entry : partitions.entrySet()) {
      long spent = entry.getValue().lastMinute(second);
      all += spent;
      if (spent > most) {
        most = spent;
        busiest = entry.getKey();
      }
    }
    CollectionTotals.HotKey top = totals.hottestKey();
    boolean isKeyHot = top != null && top.share() > 0.5;
    boolean isPartitionHot = partitions.size() > 1 && most * 2 > all;
    if (all < NOTEWORTHY || !isKeyHot && !isPartitionHot) {
      return null;
    }
    return new HotSpot(
        busiest, (double) most / all, isKeyHot ? top.key() : null, isKeyHot ? top.share() : 0);
  }

  /** Says so in the log, and begins the next minute. */
  void log(CollectionTotals totals, long second) {
    HotSpot found = find(totals, second);
    totals.turn();
    if (found == null) {
      return;
    }
    LOG.warn(
        "hot partition: {} spent {} % of its request units of the last minute in partition {}{}",
        totals.namespace(),
        Math.round(found.share * 100),
        found.partition,
        found.key == null
            ? ""
            : ", %d %% on the partition key %s"
                .formatted(Math.round(found.keyShare * 100), text(found.key)));
  }

  private static String text(PartitionKeyValue key) {
    return key.value() instanceof BsonUndefined ? "(missing)" : BsonText.stored(key.value());
  }
}
