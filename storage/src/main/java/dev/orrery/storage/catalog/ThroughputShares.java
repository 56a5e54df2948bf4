package dev.orrery.storage.catalog;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/**
 * Keeps the shares of single partitions in a collection's throughput exact when partitions come and
 * go: {@code {unitsPerSecond: 20000, shares: {"0": 4000}}}. A partition without a share of its own
 * has an equal part of the rest.
 */
public final class ThroughputShares {
  private static final String SHARES = "shares";
  private static final String TOTAL = "unitsPerSecond";

  private ThroughputShares() {}

  /** The children divide what their parent had; nothing changes if it had no share of its own. */
  public static BsonDocument split(BsonDocument throughput, int parent, List<Integer> children) {
    BsonDocument shares = throughput.getDocument(SHARES, new BsonDocument());
    if (!shares.containsKey("" + parent)) {
      return throughput;
    }
    BsonDocument divided = shares.clone();
    long rest = divided.remove("" + parent).asInt64().getValue();
    for (int i = 0; i < children.size(); i++) {
      long part = rest / (children.size() - i);
      divided.append("" + children.get(i), new BsonInt64(part));
      rest -= part;
    }
    return throughput.clone().append(SHARES, divided);
  }

  /**
   * The child gets what its parents had together; nothing changes if neither had a share.
   *
   * @param partitions how many there are before the merge
   */
  public static BsonDocument merge(
      BsonDocument throughput, int partitions, List<Integer> parents, int child) {
    BsonDocument shares = throughput.getDocument(SHARES, new BsonDocument());
    if (parents.stream().noneMatch(parent -> shares.containsKey("" + parent))) {
      return throughput;
    }
    long given = shares.values().stream().mapToLong(share -> share.asInt64().getValue()).sum();
    long rest = throughput.getInt64(TOTAL).getValue() - given;
    long even = rest / Math.max(1, partitions - shares.size());
    BsonDocument joined = shares.clone();
    long sum = 0;
    for (int parent : parents) {
      var share = joined.remove("" + parent);
      sum += share == null ? even : share.asInt64().getValue();
    }
    joined.append("" + child, new BsonInt64(sum));
    return throughput.clone().append(SHARES, joined);
  }
}
