package dev.orrery.server.transfer.analysis;

import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.transfer.source.NamespaceRules;
import dev.orrery.server.transfer.source.Source;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.server.transfer.source.SourceRecord;
import dev.orrery.server.transfer.source.TransferFailures;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads a source to its end, writes nothing, needs no server, and reports what it has seen. */
public final class DryRun implements Source.Receiver {
  private final Console console;
  private final NamespaceRules rules;
  private final CollectionSettings.Given settings;
  private final long logicalPartitionBytes;
  private final TransferFailures failures;
  private final Map<SourceCollection, CollectionAnalysis> analyses = new LinkedHashMap<>();
  private boolean isSound = true;

  public DryRun(
      Console console,
      NamespaceRules rules,
      CollectionSettings.Given settings,
      long logicalPartitionBytes) {
    this.console = console;
    this.rules = rules;
    this.settings = settings;
    this.logicalPartitionBytes = logicalPartitionBytes;
    this.failures = new TransferFailures(console.err(), false);
  }

  /** Returns whether an import would bring every document and every index. */
  public boolean run(Source source) throws IOException {
    try {
      for (SourceCollection collection : source.collections()) {
        if (!collection.isView()) {
          Namespace target = rules.target(collection.namespace());
          analyses.put(
              collection,
              new CollectionAnalysis(
                  collection, target, settings.of(target), settings.candidates(target)));
        }
      }
      source.read(this);
    } finally {
      analyses.values().forEach(CollectionAnalysis::close);
    }
    for (SourceCollection collection : source.collections()) {
      if (collection.isView()) {
        console.out().println(rules.target(collection.namespace()) + ": a view");
      }
    }
    for (String warning : source.warnings()) {
      console.out().println(warning);
      isSound = false;
    }
    console
        .out()
        .println(isSound ? "Nothing stands in the way." : "Nothing was written; see above.");
    return isSound;
  }

  @Override
  public void record(SourceCollection collection, SourceRecord record) throws IOException {
    analyses.get(collection).add(record, failures);
  }

  @Override
  public void end(SourceCollection collection) throws IOException {
    CollectionAnalysis analysis = analyses.get(collection);
    if (analysis != null) {
      analysis.finish();
      analysis.report(logicalPartitionBytes).forEach(console.out()::println);
      isSound &= analysis.isSound(logicalPartitionBytes);
      analysis.close();
    }
  }
}
