package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orrery.storage.index.BTreeModel.Entry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BTreeTest {
  @TempDir Path directory;
  private final PageFilePool pool = new PageFilePool();
  private BTree tree;

  @BeforeEach
  void open() {
    tree = BTree.open(directory.resolve("tree"), pool, false);
  }

  @AfterEach
  void close() {
    tree.close();
    assertThat(pool.usedBytes()).isZero();
  }

  @Test
  void anEmptyTreeAnswersEverything() {
    assertThat(tree.count()).isZero();
    assertThat(tree.contains(bytes("a"), 1)).isFalse();
    assertThat(tree.remove(bytes("a"), 1)).isFalse();
    assertThat(tree.estimate(BTreeBound.START, BTreeBound.END)).isZero();
    assertThat(tree.ascending(BTreeBound.START, BTreeBound.END).next()).isFalse();
    assertThat(tree.descending(BTreeBound.START, BTreeBound.END).next()).isFalse();
    tree.checkpoint(1);
    tree.verify();
  }

  @Test
  void boundsTellKeysPrefixesAndEntriesApart() {
    for (String key : new String[] {"a", "ab", "abc", "b"}) {
      tree.insert(bytes(key), 1);
      tree.insert(bytes(key), 2);
    }
    assertThat(walk(BTreeBound.before(bytes("ab")), BTreeBound.after(bytes("ab"))))
        .isEqualTo("ab1 ab2 ");
    assertThat(walk(BTreeBound.after(bytes("a")), BTreeBound.before(bytes("b"))))
        .isEqualTo("ab1 ab2 abc1 abc2 ");
    assertThat(walk(BTreeBound.before(bytes("ab")), BTreeBound.afterPrefix(bytes("ab"))))
        .isEqualTo("ab1 ab2 abc1 abc2 ");
    assertThat(walk(BTreeBound.at(bytes("ab"), 2), BTreeBound.at(bytes("b"), 2)))
        .isEqualTo("ab2 abc1 abc2 b1 ");
    assertThat(BTreeBound.afterPrefix(new byte[] {1, -1, -1}))
        .isEqualTo(BTreeBound.before(new byte[] {2}));
    assertThat(BTreeBound.afterPrefix(new byte[] {-1})).isEqualTo(BTreeBound.END);
  }

  @Test
  void seekSkipsForwardInBothDirections() {
    for (int i = 0; i < 10_000; i++) {
      tree.insert(number(i), i);
    }
    BTreeCursor up = tree.ascending(BTreeBound.before(number(10)), BTreeBound.before(number(9000)));
    BTreeCursor down =
        tree.descending(BTreeBound.before(number(10)), BTreeBound.before(number(9000)));
    for (int i = 500; i < 9000; i += 500) {
      up.seek(BTreeBound.before(number(i)));
      assertThat(up.next()).isTrue();
      assertThat(up.recordId()).isEqualTo(i);
      down.seek(BTreeBound.before(number(9000 - i)));
      assertThat(down.next()).isTrue();
      assertThat(down.recordId()).isEqualTo(8999 - i);
    }
    up.seek(BTreeBound.before(number(9500)));
    assertThat(up.next()).isFalse();
    up.seek(BTreeBound.START);
    assertThat(up.next()).isTrue();
    assertThat(up.recordId()).isEqualTo(10);
    down.seek(BTreeBound.before(number(5)));
    assertThat(down.next()).isFalse();
  }

  @Test
  void aKeyOfSeveralMebibytesIsFoundOrderedAndGivenBack() {
    byte[] large = new byte[3 << 20];
    byte[] larger = large.clone();
    larger[larger.length - 1] = 1;
    tree.insert(larger, 1);
    tree.insert(large, 2);
    tree.insert(Arrays.copyOf(large, large.length - 1), 3);
    tree.checkpoint(1);
    BTreeCursor cursor = tree.ascending(BTreeBound.START, BTreeBound.END);
    for (long id : new long[] {3, 2, 1}) {
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.recordId()).isEqualTo(id);
    }
    assertThat(cursor.key()).isEqualTo(larger);
    assertThat(tree.remove(large, 2)).isTrue();
    assertThat(tree.remove(larger, 1)).isTrue();
    assertThat(tree.freeBytes()).isGreaterThan(6 << 20);
  }

  @Test
  void longKeysThatDifferOnlyAtTheirEndsSplitPages() {
    byte[] key = new byte[2000];
    for (int i = 0; i < 3000; i++) {
      ByteBuffer.wrap(key).putInt(1996, i * 7919 % 3000);
      assertThat(tree.insert(key, 0)).isTrue();
    }
    tree.verify();
    for (int i = 0; i < 3000; i++) {
      ByteBuffer.wrap(key).putInt(1996, i);
      assertThat(tree.remove(key, 0)).isTrue();
    }
    assertThat(tree.totalBytes() - tree.freeBytes()).isEqualTo(2 * PageFile.PAGE_SIZE);
  }

  @Test
  void ascendingLoadsFillPages() {
    int[] next = {-1};
    tree.load(
        new BTreeSource() {
          @Override
          public boolean next() {
            return ++next[0] < 100_000;
          }

          @Override
          public byte[] key() {
            return spread(next[0]);
          }

          @Override
          public long recordId() {
            return next[0];
          }
        });
    tree.verify();
    assertThat(tree.totalBytes() / 100_000.0).isLessThan(30);
  }

  @Test
  void descendingInsertsFillPagesToo() {
    for (int i = 100_000; i-- > 0; ) {
      tree.insert(spread(i), i);
    }
    tree.verify();
    assertThat(tree.totalBytes() / 100_000.0).isLessThan(30);
  }

  @Test
  void estimatesAreExactInALeafAndCloseBeyond() {
    var random = new Random(5);
    for (int i = 0; i < 50_000; i++) {
      tree.insert(number(random.nextInt()), i);
    }
    for (int i = 0; i < 200; i++) {
      BTreeBound low = BTreeBound.before(number(random.nextInt()));
      BTreeBound high = BTreeBound.before(number(random.nextInt()));
      long exact = 0;
      for (BTreeCursor c = tree.ascending(low, high).withoutKeys(); c.next(); ) {
        exact++;
      }
      assertThat(tree.estimate(low, high)).isCloseTo(exact, within(100 + exact / 2));
    }
    assertThat(tree.estimate(BTreeBound.START, BTreeBound.END)).isEqualTo(50_000);
  }

  @Test
  void cursorsGoOnWhileTheTreeChanges() {
    var random = new Random(3);
    var model = new BTreeModel(random, BTreeModel.Keys.COMMON_PREFIX);
    for (int i = 0; i < 5000; i++) {
      Entry entry = model.randomEntry();
      tree.insert(entry.key(), entry.id());
      model.entries.add(entry);
    }
    for (boolean isAscending : new boolean[] {true, false}) {
      BTreeCursor cursor =
          isAscending
              ? tree.ascending(BTreeBound.START, BTreeBound.END)
              : tree.descending(BTreeBound.START, BTreeBound.END);
      requireStableEntries(cursor, isAscending, model, random);
    }
  }

  /** Entries with an even id stay; others come and go while the cursor walks. */
  private void requireStableEntries(
      BTreeCursor cursor, boolean isAscending, BTreeModel model, Random random) {
    long stable = model.entries.stream().filter(e -> e.id() % 2 == 0).count();
    long seen = 0;
    Entry last = null;
    while (cursor.next()) {
      var entry = new Entry(cursor.key(), cursor.recordId());
      if (last != null) {
        assertThat(isAscending == last.compareTo(entry) < 0).isTrue();
      }
      last = entry;
      seen += entry.id() % 2 == 0 ? 1 : 0;
      Entry other = random.nextBoolean() ? model.randomEntry() : model.randomMember();
      if (other.id() % 2 != 0) {
        if (model.entries.remove(other)) {
          assertThat(tree.remove(other.key(), other.id())).isTrue();
        } else {
          assertThat(tree.insert(other.key(), other.id())).isTrue();
          model.entries.add(other);
        }
      }
    }
    assertThat(seen).isEqualTo(stable);
    model.requireSame(tree);
  }

  private String walk(BTreeBound from, BTreeBound to) {
    var result = new StringBuilder();
    for (BTreeCursor cursor = tree.ascending(from, to); cursor.next(); ) {
      result.append(new String(cursor.key(), StandardCharsets.UTF_8)).append(cursor.recordId());
      result.append(' ');
    }
    return result.toString();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] number(int value) {
    return ByteBuffer.allocate(4).putInt(value ^ Integer.MIN_VALUE).array();
  }

  /** A 20-byte key, ascending with the value, without much of a common prefix. */
  private static byte[] spread(int value) {
    return ByteBuffer.allocate(20).putLong(value * 0x1000_0000_0001L).putLong(value * 31L).array();
  }
}
