package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;

/** What a tree should contain, as a sorted set, with keys that are hard on it. */
final class BTreeModel {
  record Entry(byte[] key, long id) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int order = Arrays.compareUnsigned(key, other.key);
      return order != 0 ? order : Long.compare(id, other.id);
    }
  }

  /** How random keys look. */
  enum Keys {
    SHORT,
    COMMON_PREFIX,
    LONG,
    MIXED
  }

  final TreeSet<Entry> entries = new TreeSet<>();
  private final Random random;
  private final Keys keys;

  BTreeModel(Random random, Keys keys) {
    this.random = random;
    this.keys = keys;
  }

  Entry randomEntry() {
    long id = random.nextInt(5) == 0 ? random.nextLong() >>> 1 + random.nextInt(60) : 7;
    return new Entry(randomKey(keys), random.nextBoolean() ? id : random.nextInt(1000));
  }

  /** An entry of the model near a random place; null if it is empty. */
  Entry randomMember() {
    Entry near = entries.ceiling(randomEntry());
    return near != null || entries.isEmpty() ? near : entries.first();
  }

  BTreeBound randomBound() {
    byte[] key = randomKey(keys);
    return switch (random.nextInt(6)) {
      case 0 -> BTreeBound.before(key);
      case 1 -> BTreeBound.after(key);
      case 2 -> BTreeBound.at(key, random.nextInt(1000));
      case 3 -> BTreeBound.afterPrefix(key);
      case 4 -> BTreeBound.START;
      default -> BTreeBound.END;
    };
  }

  private byte[] randomKey(Keys kind) {
    return switch (kind) {
      case SHORT -> shortKey();
      case COMMON_PREFIX -> prefixedKey();
      case LONG -> longKey();
      case MIXED -> randomKey(Keys.values()[random.nextInt(3)]);
    };
  }

  private byte[] shortKey() {
    byte[] key = new byte[random.nextInt(7)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) - 1);
    }
    return key;
  }

  private byte[] prefixedKey() {
    byte[] key = new byte[20];
    random.nextBytes(key);
    Arrays.fill(key, 0, 10, (byte) 7);
    return key;
  }

  private byte[] longKey() {
    byte[] key = new byte[random.nextInt(random.nextInt(5) == 0 ? 20_000 : 1500)];
    Arrays.fill(key, (byte) 5);
    for (int i = 0; i < 3 && key.length > 0; i++) {
      key[random.nextInt(key.length)] = (byte) (4 + random.nextInt(3));
    }
    return key;
  }

  NavigableSet<Entry> between(BTreeBound low, BTreeBound high) {
    NavigableSet<Entry> result = new TreeSet<>();
    if (!low.isEnd()) {
      for (Entry entry : entries.tailSet(new Entry(low.key(), low.recordId()), true)) {
        if (!high.isEnd() && entry.compareTo(new Entry(high.key(), high.recordId())) >= 0) {
          break;
        }
        result.add(entry);
      }
    }
    return result;
  }

  /** Compares the whole tree and some random ranges, in both directions. */
  void requireSame(BTree tree) {
    tree.verify();
    assertThat(tree.count()).isEqualTo(entries.size());
    requireSame(tree, BTreeBound.START, BTreeBound.END);
    for (int i = 0; i < 4; i++) {
      requireSame(tree, randomBound(), randomBound());
    }
  }

  private void requireSame(BTree tree, BTreeBound low, BTreeBound high) {
    NavigableSet<Entry> expected = between(low, high);
    requireSame(expected, tree.ascending(low, high));
    requireSame(expected.descendingSet(), tree.descending(low, high));
    List<Long> ids = new ArrayList<>();
    BTreeCursor cursor = tree.ascending(low, high).withoutKeys().expect(3);
    while (cursor.next()) {
      ids.add(cursor.recordId());
    }
    assertThat(ids).isEqualTo(expected.stream().map(Entry::id).toList());
  }

  private static void requireSame(NavigableSet<Entry> expected, BTreeCursor cursor) {
    for (Entry entry : expected) {
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.recordId()).isEqualTo(entry.id());
      assertThat(Arrays.equals(cursor.key(), entry.key())).isTrue();
    }
    assertThat(cursor.next()).isFalse();
  }
}
