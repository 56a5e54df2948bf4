package dev.orrery.server.throughput;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.partition.PartitionMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonUndefined;
import org.bson.BsonValue;

/** What was spent, as {@code ruStatistics} tells it. */
final class UnitReport {
  private static final int TOP = 20;

  private final Governor governor;
  private final long second;
  private final int seconds;

  /**
   * @param seconds the window to look at: so many seconds up to that one
   */
  UnitReport(Governor governor, long second, int seconds) {
    this.governor = governor;
    this.second = second;
    this.seconds = seconds;
  }

  BsonDocument of(CollectionStore collection, CollectionTotals totals) {
    Map<Integer, UnitWindow> windows = totals.partitions();
    long all = 0;
    long minute = 0;
    long recent = 0;
    long requests = 0;
    for (UnitWindow window : windows.values()) {
      all += window.total();
      minute += window.lastMinute(second);
      recent += window.last(seconds, second);
      requests += window.requests();
    }
    var report =
        new BsonDocument("ns", new BsonString(collection.info().namespace().toString()))
            .append("requestCharge", units(all))
            .append("lastMinute", units(minute))
            .append("window", window(recent))
            .append("requests", new BsonInt64(requests))
            .append("partitions", partitions(collection, totals, windows))
            .append("keys", keys(totals));
    HotSpots.HotSpot hot = HotSpots.find(totals, second);
    if (hot != null) {
      report.append("hot", hot(hot));
    }
    return report;
  }

  private BsonArray partitions(
      CollectionStore collection, CollectionTotals totals, Map<Integer, UnitWindow> windows) {
    PartitionMap present = collection.info().partitions();
    var ids = new TreeSet<>(windows.keySet()); // those that were split or merged included
    present.entries().forEach(partition -> ids.add(partition.id()));
    var list = new BsonArray();
    for (int id : ids) {
      UnitWindow window = windows.getOrDefault(id, new UnitWindow());
      var entry =
          new BsonDocument("id", new BsonInt32(id))
              .append("requestCharge", units(window.total()))
              .append("lastMinute", units(window.lastMinute(second)))
              .append("window", window(window.last(seconds, second)))
              .append("requests", new BsonInt64(window.requests()))
              .append("refused", new BsonInt64(totals.refused(id)));
      Double balance = present.find(id) == null ? null : governor.balance(collection, id);
      if (balance != null) {
        entry.append("balance", new BsonDouble(balance));
      }
      list.add(entry);
    }
    return list;
  }

  private static BsonArray keys(CollectionTotals totals) {
    var list = new BsonArray();
    for (TopCounts.Entry<PartitionKeyValue> entry : totals.keys().top(TOP)) {
      var item = key(entry.key());
      item.append("requestCharge", units(entry.sum()));
      if (entry.error() > 0) {
        item.append("overestimate", units(entry.error()));
      }
      list.add(item);
    }
    return list;
  }

  /** A missing key is shown by leaving it out, for clients that cannot show undefined. */
  private static BsonDocument key(PartitionKeyValue key) {
    BsonValue value = key.value();
    return value instanceof BsonUndefined ? new BsonDocument() : new BsonDocument("key", value);
  }

  private static BsonDocument hot(HotSpots.HotSpot hot) {
    var document =
        new BsonDocument("partition", new BsonInt32(hot.partition()))
            .append("share", new BsonDouble(hot.share()));
    if (hot.key() != null) {
      document.putAll(key(hot.key()));
      document.append("keyShare", new BsonDouble(hot.keyShare()));
    }
    return document;
  }

  /** Sums by name, the largest first. */
  <K> BsonArray sums(TopCounts<K> counts, Function<K, String> name) {
    var list = new BsonArray();
    for (TopCounts.Entry<K> entry : counts.top(TOP)) {
      var item =
          new BsonDocument("name", new BsonString(name.apply(entry.key())))
              .append("requestCharge", units(entry.sum()));
      UnitWindow window = entry.window();
      if (window != null) {
        item.append("lastMinute", units(window.lastMinute(second)))
            .append("window", window(window.last(seconds, second)))
            .append("requests", new BsonInt64(window.requests()));
      }
      list.add(item);
    }
    return list;
  }

  private BsonDocument window(long twentyFirsts) {
    return new BsonDocument("seconds", new BsonInt32(seconds))
        .append("requestCharge", units(twentyFirsts));
  }

  private static BsonDouble units(long twentyFirsts) {
    return new BsonDouble(new RequestCharge(twentyFirsts).toDouble());
  }
}
