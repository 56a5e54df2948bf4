package dev.orrery.storage.power;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * The documents that a store must have, in a plain map, and the one that is just being written.
 * They have a partition key {@code p}, a field {@code u} that is unique and tells the key, and a
 * long string {@code s}, so that few of them are enough for an index of many pages.
 */
final class KillModel {
  private static final int PARTITION_KEYS = 7;

  private final Random random;
  private final TreeMap<Integer, BsonDocument> documents = new TreeMap<>();
  private final TreeSet<Integer> freed = new TreeSet<>();
  private Change pending;
  private int nextId = 1;
  private int nextVersion = 1;
  private int replacements;
  private int lastRewritten;

  KillModel(long seed) {
    this.random = new Random(seed);
  }

  /** Goes on from another, with other writes. */
  KillModel(KillModel other, long seed) {
    this.random = new Random(seed);
    synchronized (other) {
      documents.putAll(other.documents);
      freed.addAll(other.freed);
      nextId = other.nextId;
      nextVersion = other.nextVersion;
      replacements = other.replacements;
    }
  }

  /**
   * One write.
   *
   * @param before null for an insert
   * @param after null for a delete
   */
  record Change(int id, BsonDocument before, BsonDocument after) {}

  /**
   * What a restart may find.
   *
   * @param documents all that was acknowledged
   * @param pending a write that may be there or not; null for none
   * @param freed values of {@code u} that were taken once
   */
  record Expected(Map<Integer, BsonDocument> documents, Change pending, List<Integer> freed) {
    Map<Integer, BsonDocument> withPending() {
      var all = new TreeMap<>(documents);
      apply(all, pending);
      return all;
    }
  }

  private static void apply(Map<Integer, BsonDocument> documents, Change change) {
    if (change != null && change.after() != null) {
      documents.put(change.id(), change.after());
    } else if (change != null) {
      documents.remove(change.id());
    }
  }

  synchronized Expected expected() {
    return new Expected(new TreeMap<>(documents), pending, new ArrayList<>(freed));
  }

  /** Works out a write that must succeed, and takes note that it is under way. */
  synchronized Change next() {
    int choice = documents.size() < 20 ? 0 : random.nextInt(100);
    if (choice < 50) {
      return begin(insert());
    }
    var ids = new ArrayList<>(documents.keySet());
    int id = ids.get(random.nextInt(ids.size()));
    BsonDocument before = documents.get(id);
    return begin(new Change(id, before, choice < 75 ? null : replacement(before)));
  }

  synchronized Change nextInsert() {
    return begin(insert());
  }

  /** A replacement of each document in turn. */
  synchronized Change nextRewrite() {
    Integer next = documents.higherKey(lastRewritten);
    lastRewritten = next == null ? documents.keySet().iterator().next() : next;
    BsonDocument before = documents.get(lastRewritten);
    return begin(new Change(lastRewritten, before, replacement(before)));
  }

  private Change begin(Change change) {
    pending = change;
    return change;
  }

  private Change insert() {
    // Half of them take a key that another document had: it must be free, and then taken.
    boolean isReused = !freed.isEmpty() && random.nextBoolean();
    int unique = isReused ? freed.first() : 1_000_000 + nextId;
    return new Change(nextId, null, document(nextId++, unique));
  }

  private BsonDocument replacement(BsonDocument before) {
    int unique = before.getInt32("u").getValue();
    if (random.nextInt(3) > 0) {
      replacements++;
      unique = (2_000_000 + replacements) * PARTITION_KEYS + unique % PARTITION_KEYS;
    }
    BsonDocument fresh = document(before.getInt32("_id").getValue(), unique);
    return fresh.append("version", new BsonInt32(nextVersion++));
  }

  BsonDocument document(int id, int unique) {
    byte[] bytes = new byte[30];
    new Random(31L * id + unique).nextBytes(bytes);
    var text = new String(Base64.getEncoder().encode(bytes), StandardCharsets.US_ASCII);
    return new BsonDocument("_id", new BsonInt32(id))
        .append("p", new BsonString("key" + unique % PARTITION_KEYS))
        .append("u", new BsonInt32(unique))
        .append("v", new BsonInt32(id % 10))
        .append("s", new BsonString(text));
  }

  synchronized void acknowledge(Change change) {
    if (change.before() != null) {
      freed.add(change.before().getInt32("u").getValue());
    }
    apply(documents, change);
    if (change.after() != null) {
      freed.remove(change.after().getInt32("u").getValue());
    }
    pending = null;
  }
}
