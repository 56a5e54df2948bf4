package dev.orrery.storage.power;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.engine.ChronicleEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damages each file that is derived from the log, in several ways: the next start says so, makes
 * the structure anew, and everything agrees with the documents.
 *
 * <p>{@code -Dkill.every=true} damages every file in every way, instead of each in one.
 */
final class DamageTest {
  private static final boolean IS_EVERY = Boolean.getBoolean("kill.every");

  /** Opens, and fails to be read with an error of the device, also by those who may do all. */
  private static final Path UNREADABLE_FILE = Path.of("/proc/self/mem");

  @TempDir Path root;
  private int rounds;

  /** What can happen to a file. */
  private enum Damage {
    GONE(true) {
      @Override
      void run(Path file) throws IOException {
        Files.delete(file);
      }
    },
    FIRST_BYTES_FLIPPED(true) {
      @Override
      void run(Path file) throws IOException {
        flip(file, 9);
      }
    },
    A_BYTE_FLIPPED(false) {
      @Override
      void run(Path file) throws IOException {
        flip(file, Files.size(file) / 3);
      }
    },
    EMPTY(true) {
      @Override
      void run(Path file) throws IOException {
        Files.write(file, new byte[0]);
      }
    },
    CUT(false) {
      @Override
      void run(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length / 3));
      }
    },
    A_DIRECTORY(true) {
      @Override
      void run(Path file) throws IOException {
        Files.delete(file);
        Files.createDirectory(file);
        Files.writeString(file.resolve("MANIFEST"), "in the way");
      }
    },
    UNREADABLE(true) {
      @Override
      void run(Path file) throws IOException {
        Files.delete(file);
        Files.createSymbolicLink(file, UNREADABLE_FILE);
      }
    },
    ZEROS(true) {
      @Override
      void run(Path file) throws IOException {
        Files.write(file, new byte[Math.toIntExact(Files.size(file))]);
      }
    };

    final boolean isNoticed;

    /**
     * @param isNoticed whether a byte is hit that means something, whatever the file
     */
    Damage(boolean isNoticed) {
      this.isNoticed = isNoticed;
    }

    abstract void run(Path file) throws IOException;

    private static void flip(Path file, long offset) throws IOException {
      byte[] bytes = Files.readAllBytes(file);
      bytes[Math.toIntExact(Math.min(offset, bytes.length - 1))] ^= 0x24;
      Files.write(file, bytes);
    }
  }

  @Test
  void afterACleanStop() throws IOException {
    try (var store = new KillStore(root.resolve("made"), 5, false)) {
      store.engine().close();
      damageEach(store.killed(), store.expected());
    }
  }

  @Test
  void afterAKill() throws IOException {
    try (var store = new KillStore(root.resolve("made"), 6, false)) {
      damageEach(store.killed(), store.expected());
    }
  }

  /** Of the log there is too little left to make the slots of it alone. */
  @Test
  void afterACompaction() throws IOException {
    try (var store = new KillStore(root.resolve("made"), 7, false)) {
      store.rewriteAll();
      store.restartCompacting();
      store.engine().compact();
      store.write(40);
      damageEach(store.killed(), store.expected());
    }
  }

  /** A checkpoint has begun to change an image in place. */
  @Test
  void afterAKillWithAJournal() throws IOException {
    try (var store = new KillStore(root.resolve("made"), 8, false)) {
      int[] journals = {0};
      store.run(
          KillScenario.CHECKPOINT,
          1,
          (kill, copy) -> {
            if (isJournalBeingCopied(kill) && hasJournal(copy)) {
              journals[0]++;
              damage(copy, kill.expected(), List.of(journal(copy)));
            }
            KillTest.delete(copy);
          });
      assertThat(journals[0]).isPositive();
    }
  }

  /** In the midst of an image, and not of the log or another file. */
  private static boolean isJournalBeingCopied(KillStore.Kill kill) {
    return kill.operation().startsWith("write the rest of")
        && kill.operation().matches(".*/index-[0-9]+");
  }

  private static boolean hasJournal(Path copy) {
    return files(copy).stream().anyMatch(file -> file.toString().endsWith(".redo"));
  }

  private static Path journal(Path copy) {
    return files(copy).stream().filter(one -> one.toString().endsWith(".redo")).findFirst().get();
  }

  private void damageEach(Path made, KillModel.Expected expected) throws IOException {
    damage(made, expected, files(made));
  }

  private void damage(Path made, KillModel.Expected expected, List<Path> files) {
    int turn = 0;
    for (Path file : files) {
      Damage[] all = Damage.values();
      List<Damage> some = IS_EVERY ? List.of(all) : List.of(all[turn++ % all.length]);
      some.forEach(damage -> damage(made, expected, file, damage));
    }
  }

  private void damage(Path made, KillModel.Expected expected, Path file, Damage damage) {
    if (damage == Damage.UNREADABLE && !Files.exists(UNREADABLE_FILE)) {
      return; // elsewhere than on Linux
    }
    Path copy = root.resolve("round" + ++rounds);
    try {
      KillStore.copy(made, copy);
      damage.run(copy.resolve(made.relativize(file)));
      check(copy, expected, made.relativize(file), damage);
      KillTest.delete(copy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void check(Path copy, KillModel.Expected expected, Path damaged, Damage damage) {
    for (int start = 0; start < 2; start++) {
      try (var engine = ChronicleEngine.open(copy, KillStore.options(false), new NoHooks())) {
        var found = engine.find(KillStore.NAMESPACE);
        new StoreComparison(engine, found, expected).run();
        if (start == 1) {
          assertThat(engine.rebuilt()).isEmpty();
        } else if (damage.isNoticed) {
          String structure = copy.resolve(damaged.subpath(0, 3)).toString().replace(".redo", "");
          assertThat(engine.rebuilt())
              .anySatisfy(
                  said -> assertThat(said).contains("of " + KillStore.NAMESPACE, structure));
        }
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(damaged + " " + damage + ", start " + start, e);
      }
    }
  }

  private static List<Path> files(Path made) {
    try (Stream<Path> all = Files.walk(made.resolve("partitions"))) {
      return all.filter(Files::isRegularFile).sorted(Comparator.naturalOrder()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
