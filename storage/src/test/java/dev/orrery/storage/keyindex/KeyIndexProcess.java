package dev.orrery.storage.keyindex;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A process that writes to an index for ever, and first to a log; it is meant to be killed. Each
 * line of the log is the number of a key whose value grows by one; the lsn is the number of the
 * line.
 */
public final class KeyIndexProcess {
  private static final int LINE = 8;
  private static final int KEYS = 20_000;
  static final KeyIndexOptions OPTIONS = KeyIndexOptions.single().withLimits(100, 1_000);

  private KeyIndexProcess() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    var random = new Random(Long.parseLong(arguments[1]));
    List<Integer> log = readLog(directory);
    try (var file = new RandomAccessFile(directory.resolve("log").toFile(), "rw");
        KeyIndex index = recover(directory, log)) {
      file.setLength((long) log.size() * LINE);
      file.seek(file.length());
      for (long lsn = log.size() + 1; ; lsn++) {
        int number = random.nextInt(KEYS);
        file.writeBytes(String.format("%07d\n", number));
        add(index, number);
        if (lsn % 2_000 == 0) {
          index.checkpoint(lsn);
          System.out.println(lsn);
        }
      }
    }
  }

  /** Opens the index and replays what its checkpoint lacks. */
  static KeyIndex recover(Path directory, List<Integer> log) {
    KeyIndex index = KeyIndex.open(directory.resolve("index"), OPTIONS);
    for (int i = 0; i < log.size(); i++) {
      if (i + 1 > index.appliedLsn(KeyIndexTest.key(log.get(i)))) {
        add(index, log.get(i));
      }
    }
    return index;
  }

  private static void add(KeyIndex index, int number) {
    byte[] key = KeyIndexTest.key(number);
    index.put(key, Math.max(0, index.find(key)) + 1);
  }

  static List<Integer> readLog(Path directory) throws IOException {
    List<Integer> numbers = new ArrayList<>();
    Path path = directory.resolve("log");
    String text = Files.exists(path) ? Files.readString(path) : "";
    for (int at = 0; at + LINE <= text.length(); at += LINE) {
      numbers.add(Integer.valueOf(text.substring(at, at + LINE - 1)));
    }
    return numbers;
  }

  /** Starts a class of the tests with this JVM's module flags. */
  public static Process start(Class<?> main, List<String> flags, String... arguments)
      throws IOException {
    return new ProcessBuilder(command(main, flags, arguments))
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  public static List<String> command(Class<?> main, List<String> flags, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> flag.startsWith("--add-") || flag.startsWith("-Dchronicle"))
        .forEach(command::add);
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.addAll(flags);
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return command;
  }
}
