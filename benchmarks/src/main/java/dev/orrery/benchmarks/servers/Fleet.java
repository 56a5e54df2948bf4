package dev.orrery.benchmarks.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.bson.BsonDocument;

/** Servers that run at the same time, each with an empty directory of its own. */
public final class Fleet implements AutoCloseable {
  /**
   * How servers are started.
   *
   * @param orrery the arguments of java up to the main class or the jar
   * @param before the same for another Orrery to compare it with; empty for none
   * @param kinds which to start at all
   * @param others servers that run already
   */
  public record Settings(
      List<String> orrery,
      List<String> before,
      Path directory,
      Set<Kind> kinds,
      List<Target> others) {}

  /** How Java is called for a jar of Orrery, with options of its own. */
  public static List<String> java(Path jar, String jvm) {
    var java = new ArrayList<String>();
    Stream.of(jvm.split(" ")).filter(Predicate.not(String::isEmpty)).forEach(java::add);
    Path archive = jar.resolveSibling("orrery.jsa"); // as the launcher does
    if (Files.exists(archive)) {
      java.addAll(List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:disable"));
    }
    java.addAll(List.of("-Dsun.misc.unsafe.memory.access=allow", "-jar", jar.toString()));
    return java;
  }

  private final Settings settings;
  private final List<Target> targets = new ArrayList<>();

  public Fleet(Settings settings) {
    this.settings = settings;
    targets.addAll(settings.others());
  }

  public List<Target> targets() {
    return List.copyOf(targets);
  }

  /** Orrery, which every fleet has. */
  public Target ours() {
    return targets.stream().filter(Target::isOurs).findFirst().orElseThrow();
  }

  public Target start(Kind kind) throws IOException {
    Target target =
        switch (kind) {
          case ORRERY -> orrery(List.of());
          case MEMORY -> memory();
          case H2 -> h2();
          case BEFORE, CEILING, OTHER -> throw new IllegalArgumentException("cannot start " + kind);
        };
    targets.add(target);
    return target;
  }

  /** Has all documents as objects on the heap: a million of them need more than Java's default. */
  private static Target memory() throws IOException {
    var heap = List.of("-XX:MaxRAMPercentage=60");
    return started(Kind.MEMORY, ServerProcess.startMain(heap, PeerServer.class, List.of()), null);
  }

  private Target h2() throws IOException {
    Path data = newDirectory();
    var file = List.of(data.resolve("store.mv").toString());
    return started(Kind.H2, ServerProcess.startMain(List.of(), PeerServer.class, file), data);
  }

  /** Orrery with options of its own. */
  public Target startOrrery(List<String> options) throws IOException {
    Target target = orrery(options);
    targets.add(target);
    return target;
  }

  /** The Orrery to compare ours with, if there is one. */
  public void startBefore() throws IOException {
    if (!settings.before().isEmpty()) {
      targets.add(orrery(Kind.BEFORE, settings.before(), List.of()));
    }
  }

  private Target orrery(List<String> options) throws IOException {
    return orrery(Kind.ORRERY, settings.orrery(), options);
  }

  private Target orrery(Kind kind, List<String> java, List<String> options) throws IOException {
    Path data = newDirectory();
    var arguments = new ArrayList<>(java);
    arguments.addAll(List.of("--port", "0", "--console-port", "off", "--data", data.toString()));
    arguments.addAll(options);
    return started(kind, ServerProcess.start(arguments), data);
  }

  /** The server that answers everything with one reply, as large as Orrery's to a command. */
  public void startCeiling(String database, BsonDocument command) throws IOException {
    if (settings.kinds().contains(Kind.CEILING)) {
      startCeiling(ours().replyBytes(database, command));
    }
  }

  private void startCeiling(int replyBytes) throws IOException {
    var size = List.of(Integer.toString(replyBytes));
    var process = ServerProcess.startMain(List.of(), CeilingServer.class, size);
    Target target = started(Kind.CEILING, process, null);
    targets.add(target);
  }

  private static Target started(Kind kind, ServerProcess process, Path data) {
    return new Target(kind, kind.label(), process.address(), process, data);
  }

  private Path newDirectory() throws IOException {
    return Files.createTempDirectory(Files.createDirectories(settings.directory()), "server");
  }

  /** Stops what it started, and removes the data. */
  @Override
  public void close() {
    for (Target target : targets) {
      if (target.process() != null) {
        target.process().close();
      }
      if (target.data() != null) {
        remove(target.data());
      }
    }
  }

  private static void remove(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
