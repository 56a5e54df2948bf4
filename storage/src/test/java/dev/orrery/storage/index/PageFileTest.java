package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageFileTest {
  private static final int PAGES = 40;

  @TempDir Path directory;
  private final PageFilePool pool = new PageFilePool();
  private Path path;
  private Path journal;
  private PageFile file;

  @BeforeEach
  void writeFirstCheckpoint() {
    path = directory.resolve("pages");
    journal = directory.resolve("pages.redo");
    file = open();
    for (int i = 0; i < PAGES; i++) {
      fill(file.allocate(), 1);
    }
    checkpoint(1);
  }

  @AfterEach
  void close() {
    file.close();
    assertThat(pool.usedBytes()).isZero();
  }

  @Test
  void aCheckpointIsWhatTheNextOpenFinds() {
    fill(3, 2);
    file.field(5, 77);
    reopen();
    assertThat(file.lsn()).isEqualTo(1);
    requirePages(1);
    fill(3, 2);
    file.field(5, 77);
    fill(file.allocate(), 2);
    checkpoint(2);
    assertThat(pool.usedBytes()).isZero();
    reopen();
    assertThat(file.lsn()).isEqualTo(2);
    assertThat(file.field(5)).isEqualTo(77);
    assertThat(file.pageCount()).isEqualTo(PAGES + 2);
    assertThat(content(3)).isEqualTo(2);
    assertThat(content(PAGES + 1)).isEqualTo(2);
    assertThat(content(4)).isEqualTo(1);
  }

  @Test
  void pagesChangedDuringACheckpointBelongToTheNext() throws IOException {
    fill(3, 2);
    PageFileCheckpoint frozen = file.freeze(2);
    fill(3, 3);
    fill(4, 3);
    file.write(frozen);
    Path copy = Files.createDirectory(directory.resolve("copy")).resolve("pages");
    Files.copy(path, copy);
    file.settle(frozen);
    assertThat(content(3)).isEqualTo(3);
    assertThat(file.dirtyBytes()).isEqualTo(2 * PageFile.PAGE_SIZE);
    PageFile other = PageFile.open(copy, PageFileKind.BTREE, FileOwner.NONE, pool, false);
    assertThat(content(other, 3)).isEqualTo(2);
    assertThat(content(other, 4)).isEqualTo(1);
    other.close();
    checkpoint(3);
    reopen();
    assertThat(content(3)).isEqualTo(3);
    assertThat(content(4)).isEqualTo(3);
  }

  @Test
  void aTornJournalOfAnOlderVersionIsIgnoredWhereverItEnds() throws IOException {
    byte[] whole = writeJournalOnly();
    file.close();
    Files.delete(journal);
    Path older = directory.resolve("pages.journal");
    for (int length = 0; length < whole.length; length += 64) {
      Files.write(older, Arrays.copyOf(whole, length));
      requireOpensAt(1);
      byte[] holed = whole.clone();
      Arrays.fill(holed, length, Math.min(length + 64, whole.length), (byte) 0);
      if (!Arrays.equals(holed, whole)) {
        Files.write(older, holed);
        requireOpensAt(1);
      }
      assertThat(older).doesNotExist();
    }
    Files.write(older, whole);
    requireOpensAt(2);
    file = open();
  }

  @Test
  void anUnfinishedJournalIsIgnored() throws IOException {
    byte[] whole = writeJournalOnly();
    file.close();
    Files.delete(journal);
    Path unfinished = directory.resolve("pages.redo.new");
    Files.write(unfinished, whole);
    requireOpensAt(1);
    assertThat(unfinished).doesNotExist();
    file = open();
  }

  @Test
  void aJournalThatIsDamagedMakesTheImageUseless() throws IOException {
    byte[] whole = writeJournalOnly();
    file.close();
    for (int at = 0; at < whole.length; at += 1_000) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 1;
      Files.write(journal, damaged);
      assertThatThrownBy(this::open)
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(journal.toString());
      assertThat(journal).exists();
    }
    Files.write(journal, whole);
    requireOpensAt(2);
    file = open();
  }

  @Test
  void aCompleteJournalRepairsAHalfWrittenImage() throws IOException {
    byte[] whole = writeJournalOnly();
    file.close();
    byte[] image = Files.readAllBytes(path);
    var random = new Random(1);
    for (int i = 0; i < 200; i++) {
      byte[] torn = image.clone();
      for (int j = random.nextInt(20); j > 0; j--) {
        int at = random.nextInt(PAGES * 8) * 512;
        Arrays.fill(torn, at, at + 512, (byte) random.nextInt());
      }
      Files.write(path, torn);
      Files.write(journal, whole);
      requireOpensAt(2);
      assertThat(journal).doesNotExist();
    }
    file = open();
  }

  @Test
  void pagesBehindTheOldEndNeedNoJournal() throws IOException {
    byte[] image = Files.readAllBytes(path);
    byte[] longer = Arrays.copyOf(image, image.length + 10 * PageFile.PAGE_SIZE);
    Arrays.fill(longer, (PAGES + 1) * PageFile.PAGE_SIZE, longer.length, (byte) 9);
    Files.write(path, longer);
    reopen();
    requirePages(1);
    fill(file.allocate(), 2);
    checkpoint(2);
    reopen();
    assertThat(content(PAGES + 1)).isEqualTo(2);
  }

  @Test
  void aFlippedBitIsReportedWithFileAndOffset() throws IOException {
    file.close();
    byte[] image = Files.readAllBytes(path);
    var random = new Random(7);
    for (int i = 0; i < 300; i++) {
      int at = random.nextInt((PAGES + 1) * PageFile.PAGE_SIZE);
      byte[] flipped = image.clone();
      flipped[at] ^= (byte) (1 << random.nextInt(8));
      Files.write(path, flipped);
      int page = at / PageFile.PAGE_SIZE;
      assertThatThrownBy(() -> readEverything())
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT))
          .hasMessageContaining(path + " at offset " + page * PageFile.PAGE_SIZE);
    }
    Files.write(path, Arrays.copyOf(image, PAGES * PageFile.PAGE_SIZE));
    assertThatThrownBy(() -> readEverything()).hasMessageContaining("ends before page");
    Files.write(path, image);
    file = open();
  }

  @Test
  void aFailedCheckpointLosesNothing() throws IOException {
    fill(3, 2);
    int added = file.allocate();
    fill(added, 2);
    Files.createDirectory(journal); // cannot be opened for writing
    Files.createFile(journal.resolve("x"));
    assertThatThrownBy(() -> checkpointOrAbandon(2)).isInstanceOf(StorageException.class);
    assertThat(file.lsn()).isEqualTo(1);
    assertThat(content(3)).isEqualTo(2);
    fill(4, 3);
    Files.delete(journal.resolve("x"));
    Files.delete(journal);
    checkpointOrAbandon(3);
    reopen();
    assertThat(file.lsn()).isEqualTo(3);
    assertThat(content(3)).isEqualTo(2);
    assertThat(content(4)).isEqualTo(3);
    assertThat(content(added)).isEqualTo(2);
  }

  @Test
  void anotherKindOrVersionIsRefused() throws IOException {
    assertThatThrownBy(() -> PageFile.open(path, PageFileKind.SLOTS, FileOwner.NONE, pool, false))
        .hasMessageContaining("not of kind SLOTS");
    Files.write(path, new byte[PageFile.PAGE_SIZE]);
    assertThatThrownBy(() -> open()).isInstanceOf(StorageException.class);
  }

  private byte[] writeJournalOnly() throws IOException {
    for (int page = 1; page <= PAGES; page++) {
      fill(page, 2);
    }
    PageFileCheckpoint frozen = file.freeze(2);
    frozen.seal();
    new PageFileJournal(path, false).write(frozen, PAGES + 1);
    file.abandon(frozen);
    return Files.readAllBytes(journal);
  }

  private void requireOpensAt(int generation) {
    file = open();
    assertThat(file.lsn()).isEqualTo(generation);
    requirePages(generation);
    file.close();
  }

  private void readEverything() {
    PageFile opened = open();
    try {
      for (int page = 1; page <= PAGES; page++) {
        opened.locate(page);
      }
    } finally {
      opened.close();
    }
  }

  private void checkpointOrAbandon(long lsn) {
    PageFileCheckpoint frozen = file.freeze(lsn);
    try {
      file.write(frozen);
    } catch (StorageException e) {
      file.abandon(frozen);
      throw e;
    }
    file.settle(frozen);
  }

  private void checkpoint(long lsn) {
    checkpointOrAbandon(lsn);
  }

  private PageFile open() {
    return PageFile.open(path, PageFileKind.BTREE, FileOwner.NONE, pool, false);
  }

  private void reopen() {
    file.close();
    file = open();
  }

  private void requirePages(int generation) {
    for (int page = 1; page <= PAGES; page++) {
      assertThat(content(page)).isEqualTo(generation);
    }
  }

  private void fill(int page, int generation) {
    int location = file.locateForWrite(page);
    int base = PageFile.offset(page, location);
    for (int i = 0; i < PageFile.LIMIT; i += Integer.BYTES) {
      file.buffer(page, location).putInt(base + i, generation);
    }
  }

  private int content(int page) {
    return content(file, page);
  }

  private static int content(PageFile opened, int page) {
    int location = opened.locate(page);
    int base = PageFile.offset(page, location);
    return opened.buffer(page, location).getInt(base + 1000);
  }
}
