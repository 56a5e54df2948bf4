package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.accumulator.Accumulator;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Sorter;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.Holding;
import dev.orrery.language.number.Numbers;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Cuts sorted documents into the buckets of one run of $bucketAuto. */
final class Buckets implements AutoCloseable {
  /** Documents {@code {k: value, d: document}} by their value, and how many there are. */
  record Sorted(Sorter sorter, long count) {}

  private final BucketAutoStage stage;
  private final PipelineRun run;
  private final Sorter sorter;
  private final long size;
  private final Holding holding;
  private int made;
  private @Nullable BsonDocument pending;
  private @Nullable BsonValue previousMax;
  private boolean isStarted;

  Buckets(BucketAutoStage stage, PipelineRun run, Sorted sorted) {
    this.stage = stage;
    this.run = run;
    this.sorter = sorted.sorter;
    this.holding = new Holding(run.spill().memory());
    // As C++ rounds: half away from zero.
    this.size = Math.max(1, (long) Math.floor((double) sorted.count / stage.buckets() + 0.5));
  }

  /** A bucket that is being filled. */
  private final class Bucket {
    private final List<Accumulator> states = stage.states(run);
    private BsonValue min;
    private BsonValue max;

    Bucket(BsonDocument first) {
      min = first.get("k");
      max = min;
    }

    void add(BsonDocument entry) {
      max = entry.get("k");
      var scope = run.scope().root(entry.getDocument("d"));
      for (int i = 0; i < states.size(); i++) {
        long before = states.get(i).heapBytes();
        states.get(i).add(stage.group().accumulations().get(i).evaluate(scope));
        hold(states.get(i).heapBytes() - before);
      }
    }

    BsonDocument result() {
      var document = new BsonDocument("_id", new BsonDocument("min", min).append("max", max));
      for (int i = 0; i < states.size(); i++) {
        document.put(stage.group().fields().get(i), states.get(i).result());
      }
      return document;
    }
  }

  @Nullable BsonDocument next() {
    if (made == stage.buckets()) {
      return null;
    }
    made++;
    BsonDocument first = isStarted ? pending : sorter.next();
    isStarted = true;
    if (first == null) {
      return null;
    }
    holding.clear();
    Allowance allowance = Allowance.current();
    var bucket = new Bucket(first);
    if (stage.granularity() != null) {
      bucket.min = previousMax != null ? previousMax : rounded(first.get("k"), false);
    }
    bucket.add(first);
    boolean isLast = made == stage.buckets();
    BsonDocument entry = sorter.next();
    for (long i = 1; entry != null && (i < size || isLast); i++) {
      allowance.step();
      bucket.add(entry);
      entry = sorter.next();
    }
    pending = stage.granularity() == null ? close(bucket, entry) : closeRounded(bucket, entry);
    previousMax = bucket.max;
    return bucket.result();
  }

  private void hold(long bytes) {
    if (!run.spill().fits(holding, bytes)) {
      throw new CommandException(
          ErrorCode.EXCEEDED_MEMORY_LIMIT,
          "$bucketAuto used too much memory and cannot spill to disk. Memory limit: "
              + Math.min(holding.bytes(), run.spill().bytesMax())
              + " bytes");
    }
  }

  private int compare(BsonValue left, BsonValue right) {
    return stage.group().order().compare(left, right);
  }

  /** Values equal to the last one belong to the bucket; its end is where the next begins. */
  private @Nullable BsonDocument close(Bucket bucket, @Nullable BsonDocument following) {
    BsonDocument entry = following;
    while (entry != null && compare(bucket.max, entry.get("k")) == 0) {
      Allowance.current().step();
      bucket.add(entry);
      entry = sorter.next();
    }
    if (entry != null) {
      bucket.max = entry.get("k");
    }
    return entry;
  }

  private @Nullable BsonDocument closeRounded(Bucket bucket, @Nullable BsonDocument following) {
    BsonDocument entry = following;
    BsonValue boundary = rounded(bucket.max, true);
    while (entry != null
        && (compare(boundary, entry.get("k")) > 0 || compare(bucket.max, entry.get("k")) == 0)) {
      Allowance.current().step();
      bucket.add(entry);
      entry = sorter.next();
    }
    boolean isZero = Numbers.toDouble(boundary) == 0;
    bucket.max = isZero && entry != null ? rounded(entry.get("k"), false) : boundary;
    return entry;
  }

  private BsonValue rounded(BsonValue value, boolean isUp) {
    double number = Numbers.toDouble(value);
    return new BsonDouble(
        isUp ? stage.granularity().roundUp(number) : stage.granularity().roundDown(number));
  }

  @Override
  public void close() {
    holding.close();
    sorter.close();
  }
}
