package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.index.BTreeModel.Entry;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Entries that a tree takes many at a time. */
class BTreeEntriesTest {
  @TempDir Path directory;
  private final PageFilePool pool = new PageFilePool();

  @ParameterizedTest
  @EnumSource
  void batchesGiveTheSameTreeAsSingleInserts(BTreeModel.Keys keys) {
    var random = new Random(keys.ordinal());
    var model = new BTreeModel(random, keys);
    try (BTree tree = BTree.open(directory.resolve("tree"), pool, false)) {
      for (int round = 0; round < 60; round++) {
        var batch = new BTreeEntries(random.nextInt(10));
        for (int i = random.nextInt(300); i > 0; i--) {
          Entry entry = random.nextInt(20) == 0 ? model.randomMember() : model.randomEntry();
          if (entry != null) { // at times one that is there, or comes twice
            batch.add(entry.key(), entry.id());
            model.entries.add(entry);
          }
        }
        tree.insertAll(batch);
        assertThat(tree.count()).isEqualTo(model.entries.size());
        if (round % 10 == 9) {
          removeSome(tree, model, random);
          tree.checkpoint(round);
        }
      }
      model.requireSame(tree);
      tree.verify();
    }
  }

  private static void removeSome(BTree tree, BTreeModel model, Random random) {
    for (Entry entry : List.copyOf(model.entries)) {
      if (random.nextInt(3) == 0) {
        assertThat(tree.remove(entry.key(), entry.id())).isTrue();
        model.entries.remove(entry);
      }
    }
  }

  /** One batch into an empty tree makes leaves, their parent and the root split in its midst. */
  @Test
  void aBatchSplitsTheTreeThatItFills() {
    for (int seed = 0; seed < 300; seed++) {
      var random = new Random(seed);
      var expected = new TreeSet<byte[]>(Arrays::compareUnsigned);
      try (BTree tree = BTree.open(directory.resolve("tree" + seed), pool, false)) {
        var batch = new BTreeEntries(0);
        for (int i = 50 + random.nextInt(400); i > 0; i--) {
          byte[] key = mixedKey(random);
          batch.add(key, i);
          expected.add(key);
        }
        tree.insertAll(batch);
        tree.checkpoint(1);
        tree.verify();
        BTreeCursor cursor = tree.ascending(BTreeBound.START, BTreeBound.END);
        var found = new ArrayList<byte[]>();
        while (cursor.next()) {
          found.add(cursor.key());
        }
        assertThat(found.toArray(byte[][]::new)).isDeepEqualTo(expected.toArray(byte[][]::new));
      }
    }
  }

  /** Long and short ones, with and without a start that many share. */
  private static byte[] mixedKey(Random random) {
    int shared = random.nextBoolean() ? 50 + 100 * random.nextInt(2) : 0;
    int own = random.nextInt(3) == 0 ? 200 : 5;
    byte[] key = new byte[shared + own];
    Arrays.fill(key, 0, shared, (byte) 'p');
    for (int i = shared; i < key.length; i++) {
      key[i] = (byte) ('a' + random.nextInt(3));
    }
    return ByteBuffer.allocate(key.length + 4).put(key).putInt(random.nextInt()).array();
  }

  @Test
  void ascendingKeysLeaveFullPages() {
    try (BTree single = BTree.open(directory.resolve("single"), pool, false);
        BTree many = BTree.open(directory.resolve("many"), pool, false)) {
      for (int from = 0; from < 50_000; from += 1000) {
        var batch = new BTreeEntries(1000);
        for (int i = from; i < from + 1000; i++) {
          batch.add(key(i), i);
          single.insert(key(i), i);
        }
        many.insertAll(batch);
      }
      assertThat(many.count()).isEqualTo(50_000);
      assertThat(many.totalBytes()).isEqualTo(single.totalBytes());
      many.verify();
    }
  }

  @Test
  void entriesThatDifferEarlyAreInOrder() {
    var random = new Random(5);
    var batch = new BTreeEntries(0);
    byte[][] keys = new byte[1000][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = ByteBuffer.allocate(20).putLong(42).putInt(random.nextInt()).array();
      batch.add(keys[i], i);
    }
    int[] sorted =
        IntStream.range(0, keys.length)
            .boxed()
            .sorted((a, b) -> Arrays.compareUnsigned(keys[a], keys[b]))
            .mapToInt(Integer::intValue)
            .toArray();
    assertThat(batch.order()).isEqualTo(sorted);
  }

  @Test
  void thereMayBeNone() {
    try (BTree tree = BTree.open(directory.resolve("tree"), pool, false)) {
      tree.insertAll(new BTreeEntries(0));
      assertThat(tree.count()).isZero();
    }
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(12).putInt(8, number).array();
  }
}
