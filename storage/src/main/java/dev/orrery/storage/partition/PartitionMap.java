package dev.orrery.storage.partition;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Which physical partition owns which part of the key space: sorted ranges that cover it with no
 * gap and no overlap. Immutable; a split or a merge yields a new map.
 */
public final class PartitionMap {
  /**
   * One physical partition: its number, its range, and all partitions it came from.
   *
   * @param givenIds record ids up to this one were given before it came to be
   */
  public record Entry(int id, EpkRange range, List<Integer> parents, long givenIds) {
    public Entry {
      parents = List.copyOf(parents);
    }

    /** Whether both came out of one split: they then share no id that was given before it. */
    public boolean isSiblingOf(Entry other) {
      return !parents.isEmpty()
          && !other.parents.isEmpty()
          && parents.get(parents.size() - 1).equals(other.parents.get(other.parents.size() - 1));
    }
  }

  private final List<Entry> entries;
  private final int nextId;
  private final List<Renumbering> renumberings;

  private PartitionMap(List<Entry> entries, int nextId, List<Renumbering> renumberings) {
    var sorted = new ArrayList<>(entries);
    sorted.sort(Comparator.comparing(entry -> entry.range().minInclusive()));
    requireCover(sorted);
    this.entries = List.copyOf(sorted);
    this.nextId = nextId;
    this.renumberings = List.copyOf(renumberings);
  }

  /** {@code count} partitions of equal width. */
  public static PartitionMap even(int count) {
    var entries = new ArrayList<Entry>();
    String min = EpkRange.BEGIN;
    for (int i = 0; i < count; i++) {
      String max =
          i == count - 1 ? EpkRange.END : EffectivePartitionKey.boundary(i + 1, count).toString();
      entries.add(new Entry(i, new EpkRange(min, max), List.of(), 0));
      min = max;
    }
    return new PartitionMap(entries, count, List.of());
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

  /**
   * The map after partition {@code id} was split at {@code boundary} into two new ones.
   *
   * @param givenIds the highest record id that the partition gave
   */
  public PartitionMap split(int id, String boundary, long givenIds) {
    var result = new ArrayList<Entry>();
    for (Entry entry : entries) {
      if (entry.id() != id) {
        result.add(entry);
        continue;
      }
      var parents = new ArrayList<>(entry.parents());
      parents.add(id);
      var lower = new EpkRange(entry.range().minInclusive(), boundary);
      var upper = new EpkRange(boundary, entry.range().maxExclusive());
      result.add(new Entry(nextId, lower, parents, givenIds));
      result.add(new Entry(nextId + 1, upper, parents, givenIds));
    }
    return new PartitionMap(result, nextId + 2, renumberings);
  }

  /**
   * The map after partition {@code id} gave all it had to a new one.
   *
   * @param givenIds the highest record id that the partition gave
   */
  public PartitionMap renew(int id, long givenIds) {
    Entry old = find(id);
    var parents = new ArrayList<>(old.parents());
    parents.add(id);
    var result = new ArrayList<>(entries);
    result.remove(old);
    result.add(new Entry(nextId, old.range(), parents, givenIds));
    return new PartitionMap(result, nextId + 1, renumberings);
  }

  /**
   * The map after two neighbours became one new partition.
   *
   * @param renumbering what happens to the record ids of the upper one
   * @param givenIds the highest record id that either gave, in the new numbers
   */
  public PartitionMap merge(Entry lower, Entry upper, Renumbering renumbering, long givenIds) {
    var parents = new TreeSet<Integer>();
    parents.addAll(lower.parents());
    parents.addAll(upper.parents());
    parents.addAll(List.of(lower.id(), upper.id()));
    var result = new ArrayList<>(entries);
    result.removeAll(List.of(lower, upper));
    var range = new EpkRange(lower.range().minInclusive(), upper.range().maxExclusive());
    result.add(new Entry(nextId, range, List.copyOf(parents), givenIds));
    var all = new ArrayList<>(renumberings);
    all.add(renumbering);
    return new PartitionMap(result, nextId + 1, all);
  }

  /** The entry of that partition, or null. */
  public Entry find(int id) {
    for (Entry entry : entries) {
      if (entry.id() == id) {
        return entry;
      }
    }
    return null;
  }

  /** The present record id of a document that a record of the log names. */
  public long recordIdNow(String epk, long lsn, long recordId) {
    long id = recordId;
    for (Renumbering renumbering : renumberings) {
      if (lsn <= renumbering.untilLsn() && renumbering.range().contains(epk)) {
        id = renumbering.apply(id);
      }
    }
    return id;
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
              .append("parents", parents)
              .append("givenIds", new BsonInt64(entry.givenIds())));
    }
    var document = new BsonDocument("nextId", new BsonInt32(nextId)).append("ranges", list);
    if (!renumberings.isEmpty()) {
      document.append(
          "renumberings", new BsonArray(renumberings.stream().map(Renumbering::toBson).toList()));
    }
    return document;
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
              parents,
              range.getInt64("givenIds", new BsonInt64(0)).getValue()));
    }
    var renumberings = new ArrayList<Renumbering>();
    for (BsonValue value : document.getArray("renumberings", new BsonArray())) {
      renumberings.add(Renumbering.fromBson(value.asDocument()));
    }
    return new PartitionMap(entries, document.getInt32("nextId").getValue(), renumberings);
  }
}
