package dev.orrery.benchmarks;

import dev.orrery.benchmarks.report.EarlierRun;
import dev.orrery.benchmarks.report.Machine;
import dev.orrery.benchmarks.report.Report;
import dev.orrery.benchmarks.report.Results;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import dev.orrery.benchmarks.workload.Bench;
import dev.orrery.benchmarks.workload.Plan;
import dev.orrery.benchmarks.workload.Workload;
import dev.orrery.benchmarks.workload.Workloads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The side-by-side benchmark: all chosen workloads, then the report. */
final class BenchmarkRun {
  private static final Set<String> OPTIONS =
      Set.of(
          "workload",
          "scale",
          "rounds",
          "seconds",
          "connections",
          "servers",
          "client",
          "target",
          "jar",
          "before",
          "jvm",
          "keep",
          "directory",
          "results",
          "document");

  private static final Pattern TARGET =
      Pattern.compile("(?<name>[^=]+)=mongodb://(?<host>[^:/]+):(?<port>\\d{1,5})/?");

  private final Options options;
  private final List<String> orrery;
  private final Plan plan;
  private final List<Workload> workloads;
  private final Set<Kind> kinds;
  private final List<Target> targets;

  /** What is kept of earlier runs; null for nothing. */
  private final @Nullable EarlierRun earlier;

  BenchmarkRun(Options options) {
    this(
        options,
        Fleet.java(options.path("jar", "server/target/orrery.jar"), options.text("jvm", "")));
  }

  /**
   * @param orrery how Java is called for the server that is measured
   */
  BenchmarkRun(Options options, List<String> orrery) {
    options.requireKnown(OPTIONS);
    this.options = options;
    this.orrery = orrery;
    plan =
        new Plan(
            options.fraction("scale", 1),
            options.number("rounds", 5),
            options.fraction("seconds", 0.8),
            options.numbers("connections", "1,8,64"),
            options.word("client", List.of("lean", "driver")).equals("driver"));
    workloads = Workloads.named(options.words("workload", Workloads.names()));
    kinds = kinds(options);
    targets = options.list("target", "").stream().map(BenchmarkRun::target).toList();
    earlier = options.values().containsKey("keep") ? earlier(options.path("keep", "")) : null;
  }

  /** Read before anything is measured: a whole run takes long. */
  private static EarlierRun earlier(Path json) {
    try {
      return EarlierRun.read(json);
    } catch (IOException e) {
      throw new Options.Refused("--keep takes the results.json of an earlier run: " + e);
    }
  }

  void run() throws Exception {
    Path directory =
        Files.createTempDirectory(
            Files.createDirectories(
                options.path("directory", System.getProperty("java.io.tmpdir"))),
            "orrery-benchmark");
    var results = new Results();
    var bench = new Bench(plan, settings(directory), results, System.err);
    for (Workload workload : workloads) {
      workload.run(bench);
    }
    Report report = report(results, Machine.current(directory));
    System.out.println(report.markdown());
    report.writeTo(options.path("results", "benchmarks/results"));
    Files.delete(directory);
    if (options.values().containsKey("document")) {
      report.insertInto(options.path("document", ""));
    }
  }

  /** Of this run, together with what is kept of earlier ones. */
  private Report report(Results results, Machine machine) {
    if (earlier == null) {
      return new Report(results, machine, command());
    }
    Results all = earlier.results().replacedBy(results, Workloads.names());
    return new Report(all, machine, earlier.command() + "\n" + command());
  }

  private Fleet.Settings settings(Path directory) {
    String before = options.text("before", "");
    return new Fleet.Settings(
        orrery,
        before.isEmpty() ? List.of() : Fleet.java(Path.of(before), ""),
        directory,
        kinds,
        targets);
  }

  /** Orrery is always among them. */
  private static Set<Kind> kinds(Options options) {
    List<String> known = Stream.of(Kind.values()).map(Kind::label).toList();
    List<String> names = options.words("servers", known);
    return Stream.of(Kind.values())
        .filter(kind -> kind == Kind.ORRERY || names.isEmpty() || names.contains(kind.label()))
        .collect(Collectors.toSet());
  }

  private static Target target(String text) {
    Matcher parts = TARGET.matcher(text);
    if (!parts.matches()) {
      throw new Options.Refused("--target takes NAME=mongodb://HOST:PORT, not " + text);
    }
    var address = new InetSocketAddress(parts.group("host"), Integer.parseInt(parts.group("port")));
    return new Target(Kind.OTHER, parts.group("name"), address, null, null);
  }

  private String command() {
    var command = new StringBuilder("java -jar benchmarks/target/benchmarks.jar run");
    options.values().entrySet().stream()
        .filter(
            option -> !Set.of("directory", "results", "jar", "before").contains(option.getKey()))
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            option -> command.append(" --%s %s".formatted(option.getKey(), option.getValue())));
    return command.toString();
  }
}
