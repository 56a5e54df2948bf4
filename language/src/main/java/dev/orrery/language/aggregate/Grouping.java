package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.accumulator.Accumulation;
import dev.orrery.language.aggregate.accumulator.Accumulator;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Sorter;
import dev.orrery.language.aggregate.stage.SpilledRecords;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.Holding;
import dev.orrery.language.limit.Resting;
import dev.orrery.value.BsonKey;
import dev.orrery.value.RawDocument;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The groups of one run of $group.
 *
 * <p>When memory is full, groups that are there go on to grow, while the values of new groups are
 * written to files, split by the hash of their key; in the end each file is grouped by itself. If
 * those that are there grow too large, as lists do, their states are written to the same files and
 * memory is empty again. All that is written of a group is in one file in the order of its coming.
 */
final class Grouping implements Resting, AutoCloseable {
  private static final int FILES = 16;
  private static final int DEPTH_MAX = 6;
  private static final byte[] NO_KEY = new byte[0];
  private static final BsonDocument NO_FIELDS = new BsonDocument();

  /** What kind of record a file has: values of one document, or states of a group. */
  private static final long VALUES = 0;

  private static final long STATES = 1;
  private static final int GROUP_BYTES = 160;
  private static final int STATE_BYTES = 64;

  private final GroupStage stage;
  private final PipelineRun run;
  private final int depth;
  private final Map<BsonKey, Accumulator[]> groups = new LinkedHashMap<>();
  private final Deque<SpilledRecords> waiting = new ArrayDeque<>();
  private SpilledRecords @Nullable [] files;
  private @Nullable Iterator<Map.Entry<BsonKey, Accumulator[]>> results;
  private @Nullable Grouping inner;
  private @Nullable SpilledRecords rested;
  private @Nullable Iterator<Sorter.Entry> restedResults;
  private final Holding holding;
  private boolean isPartial;
  private boolean isPart;
  private boolean isShort;
  private long fullBytes;

  /**
   * @param depth how often the documents were split already
   */
  Grouping(GroupStage stage, PipelineRun run, int depth) {
    this.stage = stage;
    this.run = run;
    this.depth = depth;
    this.holding = new Holding(run.spill().memory());
    run.spill().memory().add(this);
  }

  /** Groups that are merged into others before they need much memory; see {@link #bytes}. */
  static Grouping partial(GroupStage stage, PipelineRun run) {
    var partial = new Grouping(stage, run, DEPTH_MAX);
    partial.isPart = true;
    return partial;
  }

  /** Roughly how much memory the groups take. */
  long bytes() {
    return holding.bytes();
  }

  /** Whether the server has no memory left for them. */
  boolean isShort() {
    return isShort;
  }

  private void hold(long bytes) {
    isShort = !holding.grow(bytes) || isShort;
  }

  void add(BsonDocument document) {
    Scope scope = run.scope().root(document);
    BsonValue id = stage.id().evaluate(scope);
    BsonKey key = BsonKey.of(id == null ? BsonNull.VALUE : id, stage.order());
    List<Accumulation> accumulations = stage.accumulations();
    Accumulator[] states = groups.get(key);
    if (states == null) {
      if (isFull()) {
        write(VALUES, key, values(scope));
        return;
      }
      states = create(key);
      scope.root(document);
    }
    for (int i = 0; i < states.length; i++) {
      add(states[i], accumulations.get(i).evaluate(scope));
    }
    checkMemory();
  }

  private BsonArray values(Scope scope) {
    var values = new BsonArray();
    for (Accumulation accumulation : stage.accumulations()) {
      BsonValue value = accumulation.evaluate(scope);
      values.add(value == null ? new BsonUndefined() : value);
    }
    return values;
  }

  private void add(Accumulator state, @Nullable BsonValue value) {
    long before = state.heapBytes();
    state.add(value);
    hold(state.heapBytes() - before);
  }

  private Accumulator[] create(BsonKey key) {
    Scope scope = run.scope();
    scope.root(key.value() instanceof BsonDocument fields ? fields : NO_FIELDS);
    var states = new Accumulator[stage.accumulations().size()];
    for (int i = 0; i < states.length; i++) {
      states[i] = stage.accumulations().get(i).create(scope);
    }
    groups.put(key, states);
    hold(groupBytes(key, states.length));
    return states;
  }

  private static long groupBytes(BsonKey key, int states) {
    return GROUP_BYTES + Documents.heapBytes(key.value()) + (long) STATE_BYTES * states;
  }

  /** Whether there is no place for another group. */
  private boolean isFull() {
    return files != null && (isShort || bytes() > run.spill().bytesMax());
  }

  private void checkMemory() {
    boolean isTooMuch = isShort || bytes() > run.spill().bytesMax();
    if (!isTooMuch || isPart) {
      return;
    }
    if (depth == DEPTH_MAX || (depth > 0 && groups.size() == 1)) {
      requireMemory();
    }
    if (depth == DEPTH_MAX) {
      return;
    }
    if (!run.spill().isAllowed()) {
      throw new CommandException(
          ErrorCode.QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED,
          "Exceeded memory limit for $group, but didn't allow external sort. Pass"
              + " allowDiskUse:true to opt in.");
    }
    if (files == null) {
      files = new SpilledRecords[FILES];
      for (int i = 0; i < FILES; i++) {
        files[i] = new SpilledRecords(run.spill().area(), "$group");
        waiting.add(files[i]);
      }
    }
    fullBytes = fullBytes == 0 ? bytes() : fullBytes;
    if (bytes() > fullBytes + fullBytes / 2) {
      writeGroups();
    }
  }

  /** One group cannot be divided further; neither can what was divided that often. */
  private void requireMemory() {
    if (isShort) {
      throw new CommandException(
          ErrorCode.EXCEEDED_MEMORY_LIMIT,
          "$group used too much memory and cannot spill to disk. Memory limit: "
              + bytes()
              + " bytes");
    }
  }

  private void clear() {
    groups.clear();
    holding.clear();
    isShort = false;
    fullBytes = 0;
  }

  /** Moves all groups to the files; each may come back in part. */
  private void writeGroups() {
    isPartial = true;
    groups.forEach((key, accumulators) -> write(STATES, key, states(accumulators)));
    clear();
  }

  private static BsonArray states(Accumulator[] accumulators) {
    Allowance.current().step();
    var states = new BsonArray(accumulators.length);
    for (Accumulator accumulator : accumulators) {
      states.add(accumulator.state());
    }
    return states;
  }

  private void write(long kind, BsonKey key, BsonArray values) {
    int spread = Integer.rotateLeft(key.hashCode() * 0x9E3779B9, 4 * depth);
    var document = new BsonDocument("k", key.value()).append("v", values);
    files[(spread >>> 28) % FILES].write(NO_KEY, kind, RawDocument.of(document));
  }

  /** Takes over the groups of a part whose documents come after those that are here. */
  void merge(Grouping part) {
    part.groups.forEach(this::merge);
    part.close();
  }

  private void merge(BsonKey key, Accumulator[] others) {
    Allowance.current().step();
    Accumulator[] states = groups.get(key);
    if (states == null && isFull()) {
      write(STATES, key, states(others));
      return;
    }
    if (states == null) {
      groups.put(key, others);
      hold(groupBytes(key, others.length));
      for (Accumulator other : others) {
        hold(other.heapBytes());
      }
    } else {
      for (int i = 0; i < states.length; i++) {
        long before = states[i].heapBytes();
        states[i].mergeFrom(others[i]);
        hold(states[i].heapBytes() - before);
      }
    }
    checkMemory();
  }

  /** Takes what was written to a file. */
  private void add(Sorter.Entry written) {
    Allowance.current().step();
    BsonKey key = BsonKey.of(written.document().get("k"), stage.order());
    BsonArray values = written.document().getArray("v");
    Accumulator[] states = groups.get(key);
    if (states == null) {
      if (isFull()) {
        write(written.number(), key, values);
        return;
      }
      states = create(key);
    }
    for (int i = 0; i < states.length; i++) {
      BsonValue value = values.get(i);
      if (written.number() == VALUES) {
        add(states[i], value.getBsonType() == BsonType.UNDEFINED ? null : value);
      } else {
        long before = states[i].heapBytes();
        states[i].merge(value);
        hold(states[i].heapBytes() - before);
      }
    }
    checkMemory();
  }

  /** Ends the input. */
  void finish() {
    if (isPartial) {
      writeGroups();
    }
    waiting.forEach(SpilledRecords::finish);
    results = groups.entrySet().iterator();
  }

  @Nullable BsonDocument next() {
    for (; ; ) {
      if (results.hasNext()) {
        var group = results.next();
        results.remove();
        return result(group.getKey(), group.getValue());
      }
      if (restedResults != null && restedResults.hasNext()) {
        return restedResults.next().document();
      }
      holding.clear();
      if (inner != null) {
        BsonDocument next = inner.next();
        if (next != null) {
          return next;
        }
        inner.close();
        inner = null;
      }
      SpilledRecords file = waiting.poll();
      if (file == null) {
        return null;
      }
      inner = new Grouping(stage, run, depth + 1);
      try {
        file.entries().forEachRemaining(inner::add);
      } finally {
        file.close();
      }
      inner.finish();
    }
  }

  private BsonDocument result(BsonKey key, Accumulator[] states) {
    var document = new BsonDocument("_id", key.value());
    for (int i = 0; i < states.length; i++) {
      document.put(stage.fields().get(i), states[i].result());
    }
    return document;
  }

  @Override
  public void rest(boolean spills) {
    if (spills && results != null && results.hasNext()) {
      rested = new SpilledRecords(run.spill().area(), "$group");
      while (results.hasNext()) {
        var group = results.next();
        results.remove();
        rested.write(NO_KEY, 0, RawDocument.of(result(group.getKey(), group.getValue())));
      }
      rested.finish();
      restedResults = rested.entries();
      holding.clear();
    }
    if (rested != null) {
      rested.rest();
    }
  }

  @Override
  public void close() {
    run.spill().memory().remove(this);
    clear();
    if (rested != null) {
      rested.close();
    }
    waiting.forEach(SpilledRecords::close);
    waiting.clear();
    if (inner != null) {
      inner.close();
    }
  }
}
