package dev.orrery.benchmarks;

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
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The side-by-side benchmark: all chosen workloads, then the report. */
final class Run {
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
          "directory",
          "results",
          "document");

  private final Options options;
  private final Plan plan;
  private final List<Workload> workloads;

  Run(Options options) {
    options.requireKnown(OPTIONS);
    this.options = options;
    plan =
        new Plan(
            options.fraction("scale", 1),
            options.number("rounds", 5),
            options.fraction("seconds", 0.8),
            options.list("connections", "1,8,64").stream().map(Integer::valueOf).toList(),
            options.text("client", "lean").equals("driver"));
    workloads = Workloads.named(options.list("workload", ""));
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
    var report = new Report(results, Machine.current(directory), command());
    System.out.println(report.markdown());
    report.writeTo(options.path("results", "benchmarks/results"));
    Files.delete(directory);
    if (options.values().containsKey("document")) {
      report.insertInto(options.path("document", ""));
    }
  }

  private Fleet.Settings settings(Path directory) {
    String before = options.text("before", "");
    return new Fleet.Settings(
        java(options.path("jar", "server/target/orrery.jar"), options.text("jvm", "")),
        before.isEmpty() ? List.of() : java(Path.of(before), ""),
        directory,
        kinds(),
        options.list("target", "").stream().map(Run::target).toList());
  }

  /** How Java is called for a jar of Orrery. */
  private static List<String> java(Path jar, String jvm) {
    var java = new ArrayList<String>();
    Stream.of(jvm.split(" ")).filter(Predicate.not(String::isEmpty)).forEach(java::add);
    Path archive = jar.resolveSibling("orrery.jsa"); // as the launcher does
    if (Files.exists(archive)) {
      java.addAll(List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:disable"));
    }
    java.addAll(List.of("-Dsun.misc.unsafe.memory.access=allow", "-jar", jar.toString()));
    return java;
  }

  /** Orrery is always among them. */
  private Set<Kind> kinds() {
    List<String> names = options.list("servers", "");
    return Stream.of(Kind.values())
        .filter(kind -> kind == Kind.ORRERY || names.isEmpty() || names.contains(kind.label()))
        .collect(Collectors.toSet());
  }

  /** {@code name=mongodb://host:port} */
  private static Target target(String text) {
    int equals = text.indexOf('=');
    var uri = URI.create(text.substring(equals + 1));
    var address = new InetSocketAddress(uri.getHost(), uri.getPort());
    return new Target(Kind.OTHER, text.substring(0, equals), address, null, null);
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
