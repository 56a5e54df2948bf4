package dev.orrery.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The classes that tell other threads something without a lock, by two threads each (jcstress). The
 * build has a short form; {@code -Dstress.mode=quick}, {@code default} or {@code tough} take
 * longer.
 */
class StressTest {
  private static final String MODE = System.getProperty("stress.mode", "");
  private static final int MINUTES_MAX = MODE.isEmpty() ? 5 : 600;

  /** A second or so for each test. */
  private static final List<String> SHORT =
      List.of(
          "-m",
          "sanity",
          "-f",
          "1",
          "-iters",
          "2",
          "-time",
          "100",
          "-strideSize",
          "32",
          "-strideCount",
          "8");

  @TempDir private Path directory;

  /** What this process was allowed of the module system, and little memory. */
  private static String flags() {
    return Stream.concat(
            ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--add-") || each.startsWith("--enable-")),
            Stream.of("-Xmx256m", "-XX:+UseSerialGC"))
        .collect(Collectors.joining(" "));
  }

  @Test
  void noTwoThreadsSeeWhatIsForbidden() throws Exception {
    Path output = directory.resolve("output");
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main"));
    command.addAll(MODE.isEmpty() ? SHORT : List.of("-m", MODE));
    command.addAll(List.of("-v", "-af", "NONE", "-sc", "false", "-jvmArgs", flags()));
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(MINUTES_MAX, TimeUnit.MINUTES)).as("ends in time").isTrue();
    } finally {
      process.destroyForcibly();
    }
    String told = Files.readString(output);
    assertThat(process.exitValue()).as(told).isZero();
    assertThat(told).contains("Whole", "ReadPointsStress", "InOrder", "Direct");
    assertThat(told).contains(" 0 failed, 0 soft errs, 0 hard errs");
  }
}
