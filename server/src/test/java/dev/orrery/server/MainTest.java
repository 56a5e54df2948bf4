package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MainTest {
  private static final int SIGTERM_EXIT = 128 + 15;

  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void badArgumentsEndWithCodeTwoAndASentence() {
    assertThat(run("--port", "many")).isEqualTo(Main.MISUSED);
    assertThat(err)
        .hasToString(
            "orrery: --port is 'many', but must be a number from 0 to 65535. Try --help.\n");
    assertThat(out.size()).isZero();
  }

  @Test
  void helpNamesEveryOptionAndLimit() {
    assertThat(run("--help")).isEqualTo(Main.STARTED);
    for (ConfigKey key : ConfigKey.values()) {
      assertThat(out.toString(StandardCharsets.UTF_8))
          .contains(key.isLimit() ? key.limitName() + ": " : "--" + key.key());
    }
  }

  @Test
  void theCertificateThatTlsMadeIsPrinted(@TempDir Path directory) throws Exception {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var main = new Main(new PrintStream(out, true), new PrintStream(err, true));
    assertThat(main.run(Map.of(), "certificate", "--data", directory.toString()))
        .isEqualTo(Main.FAILED);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("there is no certificate");
    try (TestServer server = TestServer.start("--tls", "--data=" + directory)) {
      assertThat(server.port()).isPositive();
      assertThat(main.run(Map.of(), "certificate", "--data", directory.toString())).isZero();
    }
    assertThat(out.toString(StandardCharsets.UTF_8))
        .startsWith("-----BEGIN CERTIFICATE-----")
        .doesNotContain("PRIVATE KEY");
  }

  @Test
  void theVersionIsPrinted() {
    assertThat(run("--version")).isEqualTo(Main.STARTED);
    assertThat(out).hasToString("Orrery development\n");
  }

  @Test
  void theServerSaysWhenItIsReadyRefusesASecondAndStopsWhenTold() throws Exception {
    Process first = start();
    try (BufferedReader output = first.inputReader()) {
      assertThat(output.readLine())
          .matches("Orrery development is ready: mongodb://127\\.0\\.0\\.1:[1-9][0-9]*/");

      Process second = start();
      assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(second.exitValue()).isEqualTo(Main.FAILED);
      assertThat(second.errorReader().lines())
          .containsExactly(
              "orrery: the data directory " + directory + " is in use by another Orrery server");
      assertThat(second.inputReader().lines()).isEmpty();

      first.toHandle().destroy();
      assertThat(first.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(first.exitValue()).isEqualTo(SIGTERM_EXIT);
      assertThat(output.readLine()).isNull();
      assertThat(first.errorReader().lines()).isEmpty();
    } finally {
      first.destroyForcibly();
    }
  }

  private Process start() throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    // The packaged jar says this in its manifest; classes on a path need it said for them.
    List<String> moduleFlags =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(flag -> flag.startsWith("--") || flag.startsWith("-Dsun.misc.unsafe."))
            .toList();
    var command = new ArrayList<String>();
    command.add(java);
    command.addAll(moduleFlags);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            "dev.orrery.server.Main",
            "--port=0",
            "--console-port=off",
            "--data=" + directory));
    return new ProcessBuilder(command).start();
  }

  private int run(String... arguments) {
    var main =
        new Main(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    return main.run(Map.of(), arguments);
  }
}
