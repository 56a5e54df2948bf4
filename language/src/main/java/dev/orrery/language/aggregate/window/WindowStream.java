package dev.orrery.language.aggregate.window;

import dev.orrery.language.aggregate.stage.DocumentBuffer;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Sorter;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.Holding;
import dev.orrery.value.KeyEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * One run of $setWindowFields: sorts all documents by partition and order, then computes one
 * partition after the other. Its documents go to disk when they are too many; what its functions
 * remember has to fit into memory.
 */
final class WindowStream implements DocumentStream {
  /** Sorted documents travel with the key of their partition. */
  private static final String PARTITION = "p";

  private static final String DOCUMENT = "d";

  private final SetWindowFieldsStage stage;
  private final DocumentStream input;
  private final PipelineRun run;
  private final Holding holding;
  private @Nullable Sorter sorter;
  private @Nullable BsonDocument pending;
  private @Nullable DocumentBuffer partition;
  private Iterator<BsonDocument> results = Collections.emptyIterator();

  WindowStream(SetWindowFieldsStage stage, DocumentStream input, PipelineRun run) {
    this.stage = stage;
    this.input = input;
    this.run = run;
    this.holding = new Holding(run.spill().memory());
  }

  @Override
  public @Nullable BsonDocument next() {
    if (sorter == null) {
      sort();
      pending = sorter.next();
    }
    while (!results.hasNext()) {
      if (pending == null) {
        return null;
      }
      results = compute(readPartition());
    }
    return results.next();
  }

  private void sort() {
    sorter = new Sorter(run.spill(), 0);
    for (BsonDocument one = input.next(); one != null; one = input.next()) {
      byte[] partition = partitionKey(stage.partitionOf(one, run));
      byte[] order = stage.sortBy() == null ? new byte[0] : stage.sortBy().of(one);
      byte[] key = Arrays.copyOf(partition, partition.length + order.length);
      System.arraycopy(order, 0, key, partition.length, order.length);
      sorter.add(key, new BsonDocument(PARTITION, new BsonBinary(partition)).append(DOCUMENT, one));
    }
    sorter.finish();
  }

  private byte[] partitionKey(@Nullable BsonValue value) {
    return new KeyEncoder(stage.context().order().strings())
        .append(value == null ? BsonNull.VALUE : value, false)
        .toByteArray();
  }

  private List<BsonDocument> readPartition() {
    closePartition();
    var documents = new DocumentBuffer("$setWindowFields", run.spill());
    partition = documents;
    BsonValue key = pending.get(PARTITION);
    while (pending != null && pending.get(PARTITION).equals(key)) {
      Allowance.current().step();
      documents.add(pending.getDocument(DOCUMENT));
      pending = sorter.next();
    }
    documents.finish();
    return documents;
  }

  private void closePartition() {
    holding.clear();
    if (partition != null) {
      partition.close();
      partition = null;
    }
  }

  private Iterator<BsonDocument> compute(List<BsonDocument> documents) {
    var partition = new WindowPartition(documents, stage.sortPath(), run, holding);
    var functions = new ArrayList<WindowFunction.Values>();
    stage.outputs().forEach(output -> functions.add(output.function().open(partition)));
    return IntStream.range(0, documents.size())
        .mapToObj(place -> compute(partition, functions, place))
        .iterator();
  }

  private BsonDocument compute(
      WindowPartition partition, List<WindowFunction.Values> functions, int place) {
    BsonDocument document = partition.document(place);
    long bytes = 0;
    for (int k = 0; k < functions.size(); k++) {
      BsonValue value = functions.get(k).at(place);
      bytes += functions.get(k).heapBytes();
      document = Documents.with(document, stage.outputs().get(k).path(), value);
    }
    partition.limit(bytes);
    return document;
  }

  @Override
  public void close() {
    closePartition();
    if (sorter != null) {
      sorter.close();
    }
    input.close();
  }
}
