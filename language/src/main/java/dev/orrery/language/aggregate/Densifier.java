package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.Holding;
import dev.orrery.value.BsonKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * One run of $densify over sorted documents. Every partition has a next step; a document makes the
 * steps before its value, and its own value counts as a step if it is on one.
 */
final class Densifier implements DocumentStream {
  private static final int GENERATED_MAX = 500_000;

  private final DensifyStage stage;
  private final DocumentStream input;
  private final DensifyStage.Range range;
  private final Deque<BsonDocument> ready = new ArrayDeque<>();

  /** The next step of each partition. */
  private final Map<BsonKey, BsonValue> steps = new LinkedHashMap<>();

  private @Nullable BsonKey current;
  private @Nullable BsonValue least;
  private @Nullable BsonValue greatest;
  private boolean isDone;
  private int generated;
  private final Holding holding;

  Densifier(DensifyStage stage, DocumentStream input, PipelineRun run) {
    this.stage = stage;
    this.input = input;
    this.range = stage.range();
    this.holding = new Holding(run.spill().memory());
  }

  @Override
  public @Nullable BsonDocument next() {
    if (ready.isEmpty()) {
      holding.clear();
    }
    while (ready.isEmpty() && !isDone) {
      BsonDocument document = input.next();
      if (document == null) {
        isDone = true;
        finish();
      } else {
        take(document);
      }
    }
    return ready.poll();
  }

  private void take(BsonDocument document) {
    BsonValue value = stage.valueOf(document);
    if (value == null) {
      ready.add(document);
      return;
    }
    BsonKey partition = BsonKey.of(stage.partitionOf(document));
    if (range.extent() != DensifyStage.Extent.FULL && !partition.equals(current)) {
      finishCurrent();
      current = partition;
    }
    if (least == null) {
      least = value;
    }
    greatest = value;
    BsonValue step = steps.computeIfAbsent(partition, key -> start(value));
    step = generate(partition, step, value);
    if (!DensifyStage.isLess(step, value) && !DensifyStage.isLess(value, step)) {
      step = range.next(step);
    }
    steps.put(partition, step);
    ready.add(document);
  }

  private BsonValue start(BsonValue value) {
    return switch (range.extent()) {
      case EXPLICIT -> range.lower();
      case FULL -> least;
      case PARTITION -> value;
    };
  }

  /** Makes all steps before a value, and gives the one that follows. */
  private BsonValue generate(BsonKey partition, BsonValue from, BsonValue end) {
    BsonValue step = from;
    while (DensifyStage.isLess(step, end) && isInside(step)) {
      Allowance.current().step();
      if (++generated > GENERATED_MAX) {
        throw new CommandException(
            ErrorCode.LOCATION_5897900,
            "Generated "
                + generated
                + " documents in $densify, which is over the limit of "
                + GENERATED_MAX
                + ". Increase the 'internalQueryMaxAllowedDensifyDocs' parameter to allow more"
                + " generated documents");
      }
      BsonDocument fields = partition.value().asDocument();
      BsonDocument filler = Documents.with(fields, stage.field(), step);
      ready.add(filler);
      hold(Documents.heapBytes(filler));
      step = range.next(step);
    }
    return step;
  }

  private void hold(long bytes) {
    if (!holding.grow(bytes)) {
      throw new CommandException(
          ErrorCode.EXCEEDED_MEMORY_LIMIT,
          "$densify used too much memory and cannot spill to disk. Memory limit: "
              + holding.bytes()
              + " bytes");
    }
  }

  private boolean isInside(BsonValue step) {
    return range.upper() == null || DensifyStage.isLess(step, range.upper());
  }

  /** Ends the partition whose documents were the last ones. */
  private void finishCurrent() {
    if (current != null && range.extent() == DensifyStage.Extent.EXPLICIT) {
      generate(current, steps.get(current), range.upper());
    }
  }

  private void finish() {
    switch (range.extent()) {
      case EXPLICIT -> {
        if (current == null && stage.partitions().isEmpty()) {
          generate(BsonKey.of(new BsonDocument()), range.lower(), range.upper());
        }
        finishCurrent();
      }
      case FULL -> {
        if (!stage.partitions().isEmpty()) {
          steps.forEach((partition, step) -> finishFull(partition, step));
        }
      }
      case PARTITION -> {} // the last document of each partition was its end
    }
  }

  /** The full range includes its end. */
  private void finishFull(BsonKey partition, BsonValue from) {
    BsonValue step = generate(partition, from, greatest);
    boolean isEnd = !DensifyStage.isLess(greatest, step) && !DensifyStage.isLess(step, greatest);
    if (isEnd) {
      ready.add(Documents.with(partition.value().asDocument(), stage.field(), step));
    }
  }

  @Override
  public void close() {
    holding.close();
    input.close();
  }
}
