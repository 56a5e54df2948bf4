package dev.orrery.storage.keyindex;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300) // a lock left in a map would make a reader wait for ever
class KeyIndexKillTest {
  private static final int KILLS = 4;

  @TempDir private Path directory;

  @Test
  void aKilledProcessLosesNothingThatItsLogHolds() throws Exception {
    var random = new Random(7);
    for (int kill = 0; kill < KILLS; kill++) {
      Process process =
          KeyIndexProcess.start(
              KeyIndexProcess.class, List.of(), directory.toString(), "" + random.nextLong());
      awaitCheckpoints(process, 1 + random.nextInt(4));
      Thread.sleep(random.nextInt(40));
      process.destroyForcibly().waitFor();
      assertSameAsLog();
    }
  }

  private static void awaitCheckpoints(Process process, int count) throws IOException {
    BufferedReader lines = process.inputReader();
    for (int seen = 0; seen < count; ) {
      String line = lines.readLine();
      assertThat(line).as("the process must not end by itself").isNotNull();
      seen += line.matches("\\d+") ? 1 : 0;
    }
  }

  private void assertSameAsLog() throws IOException {
    List<Integer> log = KeyIndexProcess.readLog(directory);
    Map<String, Long> expected = new HashMap<>();
    log.forEach(number -> expected.merge("key-" + number, 1L, Long::sum));
    Map<String, Long> found = new HashMap<>();
    try (KeyIndex index = KeyIndexProcess.recover(directory, log)) {
      assertThat(index.checkpointLsn()).isPositive();
      index.verify();
      index.forEach((key, first, second) -> found.put(new String(key), first));
    }
    assertThat(found).isEqualTo(expected);
  }

  @Test
  void nothingIsCompiledAtRunTimeAndNothingIsPrinted() throws Exception {
    Path classes = directory.resolve("classes.txt");
    Process process =
        KeyIndexProcess.start(
            OneMap.class,
            List.of("-Xlog:class+load:file=" + classes),
            directory.resolve("index").toString());
    assertThat(new String(process.getInputStream().readAllBytes()))
        .doesNotContain("Chronicle Map (");
    assertThat(process.waitFor()).isZero();
    String loaded = Files.readString(classes);
    assertThat(loaded).contains("net.openhft.chronicle.map.ChronicleMapBuilder");
    assertThat(
            Pattern.compile("com\\.sun\\.tools\\.javac\\.(comp|parser)\\.").matcher(loaded).find())
        .isFalse();
    assertThat(loaded).doesNotContain("chronicle.analytics");
  }

  @Test
  void mapsStayOpenUntilTheIndexIsClosedDuringAnExit() throws Exception {
    Path path = directory.resolve("index");
    Process process = KeyIndexProcess.start(ClosedByHook.class, List.of(), path.toString());
    process.getInputStream().readAllBytes();
    process.waitFor();
    try (KeyIndex index = KeyIndex.open(path, KeyIndexProcess.OPTIONS)) {
      assertThat(index.checkpointLsn()).isEqualTo(9);
      KeyIndexTest.assertHolds(index, 2_001);
    }
  }

  /** Leaves its last checkpoint to a shutdown hook, as a server does. */
  static final class ClosedByHook {
    private ClosedByHook() {}

    public static void main(String[] arguments) {
      KeyIndex index = KeyIndex.open(Path.of(arguments[0]), KeyIndexProcess.OPTIONS);
      KeyIndexTest.fill(index, 0, 2_000);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> close(index)));
      System.exit(0);
    }

    private static void close(KeyIndex index) {
      try {
        Thread.sleep(200); // other hooks run meanwhile
      } catch (InterruptedException e) {
        return;
      }
      KeyIndexTest.fill(index, 2_000, 2_001);
      index.close(9);
    }
  }

  /** Makes a map, saves it and restores it. */
  static final class OneMap {
    private OneMap() {}

    public static void main(String[] arguments) {
      Path path = Path.of(arguments[0]);
      KeyIndex index = KeyIndex.open(path, KeyIndexProcess.OPTIONS);
      KeyIndexTest.fill(index, 0, 2_000);
      index.close(1);
      try (KeyIndex again = KeyIndex.open(path, KeyIndexProcess.OPTIONS)) {
        KeyIndexTest.assertHolds(again, 2_000);
      }
    }
  }
}
