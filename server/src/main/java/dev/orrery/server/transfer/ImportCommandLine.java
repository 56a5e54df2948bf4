package dev.orrery.server.transfer;

import dev.orrery.server.transfer.analysis.DryRun;
import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.transfer.source.NamespaceRules;
import dev.orrery.server.transfer.source.Progress;
import dev.orrery.server.transfer.source.Source;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.server.transfer.source.SourceOpener;
import dev.orrery.server.transfer.source.TransferFailures;
import dev.orrery.server.transfer.source.UsageException;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** {@code orrery import}: from a command line to an import or a dry run. */
public final class ImportCommandLine {
  public static final String NAME = "import";
  static final String DEFAULT_URI = "mongodb://127.0.0.1:27017/";

  private final Console console;
  private final Clock clock;

  public ImportCommandLine(Console console, Clock clock) {
    this.console = console;
    this.clock = clock;
  }

  /**
   * Returns 0 when all was imported, 1 when something was not, 2 when the options make no sense.
   */
  public int run(String... arguments) {
    return CommandLines.run(console, NAME, () -> runChecked(arguments));
  }

  private int runChecked(String... arguments) throws IOException {
    OptionTable.Values values = ImportOptionTable.table().parse(console.out(), arguments);
    if (values == null) {
      return CommandLines.DONE;
    }
    NamespaceRules rules = ImportOptionTable.rules(values);
    var opener =
        new SourceOpener(
            rules,
            ImportOptionTable.csv(values),
            values.find("--db"),
            values.find("--collection"),
            console.in());
    ImportOptions options = ImportOptionTable.options(values);
    try (Source source = opener.open(path(values), type(values))) {
      options.settings().requireFor(targets(source, rules));
      if (values.has("--dry-run")) {
        long limit = ImportOptionTable.logicalPartitionBytes(values);
        return new DryRun(console, rules, options.settings(), limit).run(source)
            ? CommandLines.DONE
            : CommandLines.FAILED;
      }
      return importAll(source, rules, options, values);
    }
  }

  private static List<Namespace> targets(Source source, NamespaceRules rules) throws IOException {
    var targets = new ArrayList<Namespace>();
    for (SourceCollection collection : source.collections()) {
      if (!collection.isView()) {
        targets.add(rules.target(collection.namespace()));
      }
    }
    return targets;
  }

  private static String path(OptionTable.Values values) {
    List<String> given = values.parameters();
    for (String option : List.of("--archive", "--file", "--dir")) {
      String value = values.find(option);
      if (value != null && (!value.equals("-") || given.isEmpty())) {
        return value;
      }
    }
    if (given.size() > 1) {
      throw new UsageException("one file or directory at a time, not " + given);
    }
    return given.isEmpty() ? SourceOpener.STANDARD_INPUT : given.get(0);
  }

  private static SourceOpener.@Nullable Type type(OptionTable.Values values) {
    if (values.has("--archive")) {
      return SourceOpener.Type.ARCHIVE;
    }
    String type = values.find("--type");
    if (type == null) {
      return null;
    }
    try {
      return SourceOpener.Type.valueOf(type.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--type is json, csv, tsv, bson, dump or archive, not " + type);
    }
  }

  private int importAll(
      Source source, NamespaceRules rules, ImportOptions options, OptionTable.Values values)
      throws IOException {
    String uri = values.text("--uri", DEFAULT_URI);
    String resume = values.find("--resume");
    ImportState state =
        resume == null
            ? ImportState.none()
            : ImportState.open(Path.of(resume), source.fingerprint() + " to " + hosts(uri));
    var failures = new TransferFailures(console.err(), options.stopsOnError());
    var throttle = new Throttle(Thread::sleep);
    for (String warning : source.warnings()) {
      failures.add(warning);
    }
    long start = System.nanoTime();
    try (var server = TransferServer.connect(uri, "orrery import")) {
      var writer = new BatchWriter(server.client(), options, failures, throttle, state.isResumed());
      var target = new ImportTarget(server.client(), options, failures);
      try (var pool = new WriterPool(writer, options.workers(), System::nanoTime)) {
        pool.start();
        var importer = new Importer(target, options, rules, pool, state);
        read(importer, source, writer);
      }
      return new ImportSummary(writer, failures, throttle)
          .print(console.err(), (System.nanoTime() - start) / 1e9);
    }
  }

  /** The part of a connection string that has no password in it. */
  private static String hosts(String uri) {
    return uri.replaceAll("//[^/@]*@", "//").replaceAll("\\?.*", "");
  }

  private void read(Importer importer, Source source, BatchWriter writer) throws IOException {
    RandomGenerator random = new SecureRandom();
    var save = new Thread(() -> importer.saveAll(console.err()), "save");
    Runtime.getRuntime().addShutdownHook(save);
    try (var progress =
        new Progress(
            console.err(),
            console.isTerminal(),
            System::nanoTime,
            new ImportMeter(importer, source, writer))) {
      progress.start();
      importer.run(source, () -> NewIds.create(clock.instant().getEpochSecond(), random));
    } catch (IOException e) {
      importer.saveAll(console.err());
      throw e;
    } finally {
      CommandLines.forget(save);
    }
  }
}
