package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.index.BTreeModel.Entry;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random operations, checkpoints and crashes, compared with a sorted set. */
class BTreeWalkTest {
  private static final int STEPS = 12_000;

  private record Step(boolean isInsert, Entry entry) {}

  @TempDir Path directory;
  private final PageFilePool pool = new PageFilePool();

  @ParameterizedTest
  @EnumSource
  void crashesLoseNothingThatIsReplayed(BTreeModel.Keys keys) throws IOException {
    var random = new Random(keys.ordinal());
    var model = new BTreeModel(random, keys);
    List<Step> log = new ArrayList<>();
    Path home = Files.createDirectory(directory.resolve("0"));
    BTree tree = BTree.open(home.resolve("tree"), pool, false);
    for (int i = 1; i <= STEPS; i++) {
      Step step = randomStep(model, random, i);
      if (step != null) {
        log.add(step);
        apply(tree, model, step);
      }
      if (random.nextInt(400) == 0) {
        tree.checkpoint(log.size());
      }
      if (random.nextInt(1000) == 0) {
        Path copy = Files.createDirectory(directory.resolve("" + i));
        copyFiles(home, copy);
        tree.close();
        home = copy;
        tree = reopen(home, log, random);
        model.requireSame(tree);
      }
    }
    model.requireSame(tree);
    tree.delete();
    assertThat(home).isEmptyDirectory();
    assertThat(pool.usedBytes()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void removingEverythingFreesEveryPageButTheRoot(BTreeModel.Keys keys) {
    var random = new Random(99);
    var model = new BTreeModel(random, keys);
    try (BTree tree = BTree.open(directory.resolve("tree"), pool, false)) {
      long sizeAfterFirstRound = 0;
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3000; i++) {
          apply(tree, model, new Step(true, model.randomEntry()));
        }
        tree.checkpoint(round);
        for (Entry entry : List.copyOf(model.entries)) {
          apply(tree, model, new Step(false, entry));
        }
        assertThat(tree.totalBytes() - tree.freeBytes()).isEqualTo(2 * PageFile.PAGE_SIZE);
        if (round == 0) {
          sizeAfterFirstRound = tree.totalBytes();
        }
      }
      assertThat(tree.totalBytes()).isLessThan(sizeAfterFirstRound * 3 / 2);
      model.requireSame(tree);
    }
  }

  /** Grows and shrinks in turn, so that pages split and merge. */
  private static Step randomStep(BTreeModel model, Random random, int step) {
    boolean isShrinking = step / (STEPS / 6) % 2 == 1;
    if (random.nextInt(10) < (isShrinking ? 8 : 2)) {
      Entry member = model.randomMember();
      return member == null ? null : new Step(false, member);
    }
    return new Step(true, model.randomEntry());
  }

  private static void apply(BTree tree, BTreeModel model, Step step) {
    Entry entry = step.entry();
    if (step.isInsert()) {
      assertThat(tree.insert(entry.key(), entry.id())).isEqualTo(model.entries.add(entry));
    } else {
      assertThat(tree.remove(entry.key(), entry.id())).isEqualTo(model.entries.remove(entry));
    }
    assertThat(tree.contains(entry.key(), entry.id())).isEqualTo(step.isInsert());
  }

  /** Replays from the checkpoint on, or from somewhere before it: both must come out the same. */
  private BTree reopen(Path home, List<Step> log, Random random) {
    BTree tree = BTree.open(home.resolve("tree"), pool, false);
    int start = (int) tree.lsn() - random.nextInt(1 + (int) Math.min(50, tree.lsn()));
    for (Step step : log.subList(start, log.size())) {
      if (step.isInsert()) {
        tree.insert(step.entry().key(), step.entry().id());
      } else {
        tree.remove(step.entry().key(), step.entry().id());
      }
    }
    return tree;
  }

  static void copyFiles(Path from, Path to) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(from)) {
      for (Path file : files) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }
}
