package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What many small indexes cost. */
class PageFileManyTest {
  private static final int TREES = 1000;

  @TempDir Path directory;
  private final PageFilePool pool = new PageFilePool();

  @Test
  void aThousandSmallTreesCostAFewKibibytesEachAndNoDescriptor() throws IOException {
    List<BTree> trees = open();
    assertThat(pool.usedBytes()).isZero();
    assertThat(directory).isEmptyDirectory();
    long descriptors = openDescriptors();
    for (BTree tree : trees) {
      for (int i = 0; i < 50; i++) {
        tree.insert(("key" + i).getBytes(), i);
      }
      tree.checkpoint(1);
    }
    assertThat(pool.usedBytes()).isEqualTo((long) TREES * PageFile.PAGE_SIZE);
    assertThat(pool.reservedBytes()).isLessThan(6L << 20);
    assertThat(filesBytes()).isEqualTo(2L * TREES * PageFile.PAGE_SIZE);
    assertThat(openDescriptors()).isLessThan(descriptors + 20);
    trees.forEach(BTree::close);
    trees = open();
    trees.forEach(BTree::verify);
    assertThat(trees).allMatch(tree -> tree.count() == 50);
    assertThat(openDescriptors()).isLessThan(descriptors + 20);
    trees.forEach(BTree::delete);
    assertThat(directory).isEmptyDirectory();
    assertThat(pool.usedBytes()).isZero();
  }

  private List<BTree> open() {
    List<BTree> trees = new ArrayList<>();
    for (int i = 0; i < TREES; i++) {
      trees.add(BTree.open(directory.resolve("tree" + i), pool, false));
    }
    return trees;
  }

  private long filesBytes() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private static long openDescriptors() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? system.getOpenFileDescriptorCount()
        : 0;
  }
}
