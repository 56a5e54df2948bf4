package dev.orrery.benchmarks.search;

import dev.orrery.benchmarks.Options;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Searches of places and of words, on a server with a great many of them: which part of the index
 * they read, and how much of the server's CPU time they take beside a scan that finds the same.
 */
public final class SearchBenchmark {
  private static final int MANY = 1_000_000;

  private static final Set<String> OPTIONS =
      Set.of("parts", "points", "documents", "searches", "rounds", "jar", "jvm", "directory");

  private final Options options;
  private final List<String> orrery;

  public SearchBenchmark(Options options) {
    this(
        options,
        Fleet.java(options.path("jar", "server/target/orrery.jar"), options.text("jvm", "")));
  }

  /**
   * @param orrery how Java is called for the server that is measured
   */
  SearchBenchmark(Options options, List<String> orrery) {
    options.requireKnown(OPTIONS);
    this.options = options;
    this.orrery = orrery;
  }

  public void run() throws IOException {
    List<String> parts = options.list("parts", "places,words");
    int searches = options.number("searches", 200);
    int rounds = options.number("rounds", 5);
    Path directory =
        Files.createTempDirectory(
            Files.createDirectories(
                options.path("directory", System.getProperty("java.io.tmpdir"))),
            "orrery-search");
    var settings = new Fleet.Settings(orrery, List.of(), directory, Set.of(Kind.ORRERY), List.of());
    try (var fleet = new Fleet(settings)) {
      Target target = fleet.start(Kind.ORRERY);
      if (parts.contains("places")) {
        new Places(target, options.number("points", MANY)).run(searches, rounds);
      }
      if (parts.contains("words")) {
        new Words(target, options.number("documents", MANY)).run(searches);
      }
    }
    Files.delete(directory);
  }
}
