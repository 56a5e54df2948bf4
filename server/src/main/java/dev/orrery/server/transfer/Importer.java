package dev.orrery.server.transfer;

import dev.orrery.server.transfer.source.NamespaceRules;
import dev.orrery.server.transfer.source.Source;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.server.transfer.source.SourceRecord;
import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Moves a source into a server: collections, documents, indexes, and at last the views. */
final class Importer implements Source.Receiver {
  private final ImportTarget target;
  private final ImportOptions options;
  private final NamespaceRules rules;
  private final WriterPool writers;
  private final ImportState state;
  private final Map<SourceCollection, ImportLane> lanes = new LinkedHashMap<>();
  private final List<SourceCollection> views = new ArrayList<>();
  private volatile String current = "";

  Importer(
      ImportTarget target,
      ImportOptions options,
      NamespaceRules rules,
      WriterPool writers,
      ImportState state) {
    this.target = target;
    this.options = options;
    this.rules = rules;
    this.writers = writers;
    this.state = state;
  }

  /** Imports all collections of the source. */
  void run(Source source, Supplier<NewIds> ids) throws IOException {
    for (SourceCollection collection : source.collections()) {
      if (collection.isView()) {
        views.add(collection);
      } else {
        lanes.put(collection, prepare(collection, ids.get()));
      }
    }
    source.read(this);
    for (SourceCollection view : views) {
      target.createView(view, rules.target(view.namespace()));
    }
    state.delete();
  }

  private ImportLane prepare(SourceCollection collection, NewIds ids) throws IOException {
    Namespace namespace = rules.target(collection.namespace());
    boolean isPinned = options.isOrdered() || collection.metadata().isCapped();
    var lane = new ImportLane(namespace, state, ids, options.batchSize(), isPinned);
    if (collection.isPacked()) {
      lane.writeTo(SourceCollection.bucketsOf(namespace));
    }
    if (state.find(namespace.toString()) == null) {
      target.prepare(collection, namespace);
      lane.save(false);
    }
    return lane;
  }

  /** The collection that is being read, for the progress bar. */
  String current() {
    return current;
  }

  @Override
  public void record(SourceCollection collection, SourceRecord record) throws IOException {
    ImportLane lane = lanes.get(collection);
    if (lane == null) {
      throw new TransferException(
          record.place()
              + ": documents of "
              + collection.namespace()
              + ", which is a view or not in the list of collections. The source is damaged.");
    }
    current = lane.target().toString();
    ImportLane.Batch batch = lane.add(record);
    if (batch != null) {
      writers.write(batch);
    }
  }

  @Override
  public void end(SourceCollection collection) throws IOException {
    ImportLane lane = lanes.get(collection);
    if (lane == null) {
      return;
    }
    ImportLane.Batch last = lane.cut();
    if (last != null) {
      writers.write(last);
    }
    lane.awaitAll(writers);
    ImportState.Entry earlier = state.find(lane.target().toString());
    if (earlier == null || !earlier.isIndexed()) {
      lane.save(false);
      target.restoreIndexes(collection, lane.target());
    }
    lane.save(true);
  }

  /** Writes down how far every collection is, for a process that is told to end. */
  void saveAll(PrintStream err) {
    for (ImportLane lane : lanes.values()) {
      try {
        lane.saveIfUnfinished();
      } catch (IOException e) {
        err.println("The state of the import cannot be saved: " + e.getMessage());
      }
    }
  }
}
