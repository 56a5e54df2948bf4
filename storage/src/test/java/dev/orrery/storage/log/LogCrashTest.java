package dev.orrery.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that writes, again and again on the same log: {@code -Dlog.crash.rounds=100}. */
class LogCrashTest {

  private static final int ROUNDS = Integer.getInteger("log.crash.rounds", 5);
  private static final LogOptions OPTIONS = LogOptions.defaults().withSegmentBytes(256 << 10);

  @TempDir Path directory;

  @Test
  void acknowledgedGroupsSurviveSigkill() throws Exception {
    Map<Long, String> acknowledged = new HashMap<>();
    var random = new Random(11);
    for (int round = 0; round < ROUNDS; round++) {
      int before = acknowledged.size();
      writeAndKill(round, 50 + random.nextInt(2000), acknowledged);
      assertThat(acknowledged).hasSizeGreaterThan(before);
      assertHas(acknowledged);
    }
  }

  private void writeAndKill(int round, int acknowledgements, Map<Long, String> acknowledged)
      throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--add-"))
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Writer.class.getName(), directory.toString(), "round" + round));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (var lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      int seen = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("ack ") && line.endsWith(".")) { // Whole lines only.
          String[] words = line.split(" ");
          acknowledged.put(Long.parseLong(words[1]), words[2]);
          seen++;
        }
        if (seen == acknowledgements) {
          process.toHandle().destroyForcibly(); // Unlike the process, it leaves the pipe open.
        }
      }
    } finally {
      process.destroyForcibly();
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  private void assertHas(Map<Long, String> acknowledged) {
    try (Log log = Log.open(directory, OPTIONS)) {
      int found = 0;
      LogCursor cursor = log.from(1);
      for (LogGroup group = cursor.next(); group != null; group = cursor.next()) {
        String expected = acknowledged.get(group.lsn());
        String actual = new String(group.payload(0), StandardCharsets.UTF_8).strip();
        if (expected != null) {
          assertThat(actual).isEqualTo(expected);
          found++;
        }
        assertThat(group.size()).isEqualTo(2);
        assertThat(group.payload(1)).isEqualTo(group.payload(0));
      }
      assertThat(found).isEqualTo(acknowledged.size());
      assertThat(log.verify()).isEmpty();
    }
  }

  /** The process that is killed: writes from four threads and prints what is durable. */
  static final class Writer {
    public static void main(String[] arguments) throws IOException {
      Log log = Log.open(Path.of(arguments[0]), OPTIONS);
      for (int i = 0; i < 4; i++) {
        String name = arguments[1] + "-" + i;
        new Thread(() -> write(log, name)).start();
      }
    }

    private static void write(Log log, String name) {
      for (int number = 0; true; number++) {
        String text = name + "-" + number + ".";
        byte[] payload = Groups.bytes(text + " ".repeat(number % 3000));
        var group =
            new RecordGroup().add((byte) 1, payload, payload).add((byte) 2, payload, payload);
        long lsn = log.append(group).lsn();
        log.awaitDurable(lsn);
        System.out.println("ack " + lsn + " " + text);
      }
    }
  }
}
