package dev.orrery.storage.partition;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Which physical partition owns which part of the key space: sorted ranges that cover it with no
 * gap and no overlap. Immutable; a split yields a new map.
 */
public final class PartitionMap {
  /** One physical partition: its number, its range, and all partitions it came from. */
  public record Entry(int id, EpkRange range, List<Integer> parents) {
    public Entry {
      parents = List.copyOf(parents);
    }
  }

  private final List<Entry> entries;
  private final int nextId;

  public PartitionMap(List<Entry> entries, int nextId) {
    var sorted = new ArrayList<>(entries);
    sorted.sort(Comparator.comparing(entry -> entry.range().minInclusive()));
    requireCover(sorted);
    this.entries = List.copyOf(sorted);
    this.nextId = nextId;
  }

  /** {@code count} partitions of equal width. */
  public static PartitionMap even(int count) {
    var entries = new ArrayList<Entry>();
    String min = EpkRange.BEGIN;
    for (int i = 0; i < count; i++) {
      String max =
          i == count - 1 ? EpkRange.END : EffectivePartitionKey.boundary(i + 1, count).toString();
      entries.add(new Entry(i, new EpkRange(min, max), List.of()));
      min = max;
    }
    return new PartitionMap(entries, count);
  }

  private static void requireCover(List<Entry> sorted) {
    String expected = EpkRange.BEGIN;
    for (Entry entry : sorted) {
      if (!entry.range().minInclusive().equals(expected)) {
        throw new IllegalArgumentException("gap or overlap at " + expected + ": " + sorted);
      }
      expected = entry.range().maxExclusive();
    }
    if (!expected.equals(EpkRange.END)) {
      throw new IllegalArgumentException("the key space ends at " + expected + ": " + sorted);
    }
  }

  public List<Entry> entries() {
    return entries;
  }

  public int size() {
    return entries.size();
  }

  /** The number that the next new partition gets. */
  public int nextId() {
    return nextId;
  }

  /** Where in {@link #entries()} the owner of that key is. */
  public int indexOf(String epk) {
    int low = 0;
    int high = entries.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (entries.get(middle).range().minInclusive().compareTo(epk) <= 0) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The map after partition {@code id} was split at {@code boundary} into two new ones. */
  public PartitionMap split(int id, String boundary) {
    var result = new ArrayList<Entry>();
    for (Entry entry : entries) {
      if (entry.id() != id) {
        result.add(entry);
        continue;
      }
      var parents = new ArrayList<>(entry.parents());
      parents.add(id);
      var range = entry.range();
      result.add(new Entry(nextId, new EpkRange(range.minInclusive(), boundary), parents));
      result.add(new Entry(nextId + 1, new EpkRange(boundary, range.maxExclusive()), parents));
    }
    return new PartitionMap(result, nextId + 2);
  }

  public BsonDocument toBson() {
    var list = new BsonArray();
    for (Entry entry : entries) {
      var parents = new BsonArray();
      entry.parents().forEach(parent -> parents.add(new BsonInt32(parent)));
      list.add(
          new BsonDocument("id", new BsonInt32(entry.id()))
              .append("min", new BsonString(entry.range().minInclusive()))
              .append("max", new BsonString(entry.range().maxExclusive()))
              .append("parents", parents));
    }
    return new BsonDocument("nextId", new BsonInt32(nextId)).append("ranges", list);
  }

  public static PartitionMap fromBson(BsonDocument document) {
    var entries = new ArrayList<Entry>();
    for (BsonValue value : document.getArray("ranges")) {
      var range = value.asDocument();
      var parents = new ArrayList<Integer>();
      range.getArray("parents").forEach(parent -> parents.add(parent.asInt32().getValue()));
      entries.add(
          new Entry(
              range.getInt32("id").getValue(),
              new EpkRange(range.getString("min").getValue(), range.getString("max").getValue()),
              parents));
    }
    return new PartitionMap(entries, document.getInt32("nextId").getValue());
  }
}
