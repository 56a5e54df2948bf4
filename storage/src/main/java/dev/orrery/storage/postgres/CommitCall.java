package dev.orrery.storage.postgres;

import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.postgres.PlannedWrite.Entry;
import dev.orrery.storage.postgres.PlannedWrite.Met;
import dev.orrery.storage.postgres.WriteFacts.RowKey;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One call of the function that commits, with all that a plan changes. */
final class CommitCall {
  private static final int PARAMETERS = 53;
  private static final String SQL =
      "SELECT r_what, r_n, r_value, r_docs, r_bytes, r_keys FROM commit_batch("
          + String.join(", ", Collections.nCopies(PARAMETERS, "?"))
          + ")";

  private static final int APPLIED = 0;
  private static final int STALE = 1;
  private static final int TAKEN = 2;
  private static final int OUTDATED = 3;
  private static final int FULL = 4;
  private static final int CLAIMED = 5;
  private static final int KEY_CLAIMED = 6;
  private static final int CLAIMS_LOST = 7;
  private static final int SHARED = 8;

  /** How a call ended. */
  enum End {
    APPLIED,
    /** Something stood in the way, and is known now. */
    REFUSED,
    /** The collections are not what they were thought to be. */
    STALE,
    /** A transaction has lost what it held. */
    CLAIMS_LOST
  }

  private record Result(int what, int n, long value, PartitionStatistics sizes) {}

  /** One partition's place and sums. */
  private static final class Part {
    final int place;
    final long part;
    final PlannedWrite one;
    long inserted;
    long documents;
    long bytes;

    Part(int place, PlannedWrite one) {
      this.place = place;
      this.part = one.part();
      this.one = one;
    }
  }

  private final PostgresEngine engine;
  private final GroupPlan plan;
  private final PendingBatch.Owner owner;
  private final TreeMap<Long, Part> parts = new TreeMap<>();
  private final Columns writes = new Columns("iillbbbbb");
  private final Columns free = new Columns("iib");
  private final Columns alone = new Columns("iibl");
  private final Columns uniqueAdded = new Columns("iibl");
  private final Columns uniqueRemoved = new Columns("iib");
  private final Columns added = new Columns("iibbl");
  private final Columns removed = new Columns("iibbl");
  private final Columns sizes = new Columns("ibll");
  private final Columns seen = new Columns("iill");
  private final List<PlannedWrite> uniqueOwners = new ArrayList<>();
  private final List<RowKey> freeKeys = new ArrayList<>();
  private final List<RowKey> aloneKeys = new ArrayList<>();
  private final List<RowKey> sizeKeys = new ArrayList<>();
  private long time;

  CommitCall(PostgresEngine engine, GroupPlan plan, PendingBatch.Owner owner) {
    this.engine = engine;
    this.plan = plan;
    this.owner = owner;
    numberParts();
    var growth = new HashMap<RowKey, long[]>();
    for (PlannedWrite write : plan.applied) {
      add(write, growth);
    }
    for (RowKey key : plan.mustBeFree) {
      free.add(parts.get(key.part()).place, key.index(), key.bytes());
      freeKeys.add(key);
    }
    growth.forEach(
        (key, sums) -> {
          sizes.add(parts.get(key.part()).place, key.bytes(), sums[0], sums[1]);
          sizeKeys.add(key);
        });
    addSeen();
  }

  private void numberParts() {
    var ones = new TreeMap<Long, PlannedWrite>();
    plan.applied.forEach(write -> ones.putIfAbsent(write.part(), write));
    ones.forEach((part, one) -> parts.put(part, new Part(parts.size() + 1, one)));
  }

  /** The cluster time that it got. */
  long time() {
    return time;
  }

  private void add(PlannedWrite write, Map<RowKey, long[]> growth) {
    Part part = parts.get(write.part());
    boolean isNew = write.kind == PlannedWrite.INSERT;
    long record = isNew ? - ++part.inserted : write.before.recordId();
    part.documents += write.documents();
    part.bytes += write.growth();
    RawDocument body =
        write.after == null
            ? RawDocument.wrap(write.collection.keys.documentKey(write.before.document()))
            : write.after;
    boolean keepsBefore = !isNew && write.state.info().keepsImages();
    writes.add(
        part.place,
        write.kind,
        record,
        isNew ? 0L : write.before.version(),
        write.key.bytes(),
        write.pkey(),
        body.toByteArray(),
        write.delta == null ? null : write.delta.toByteArray(),
        keepsBefore ? write.before.document().toByteArray() : null);
    if (isNew) {
      addUnique(write, PlannedWrite.PRIMARY, write.key.bytes(), record);
    } else if (write.kind == PlannedWrite.DELETE) {
      uniqueRemoved.add(part.place, PlannedWrite.PRIMARY, write.key.bytes());
    }
    addEntries(write, part, record);
    long[] sums =
        growth.computeIfAbsent(new RowKey(part.part, 0, write.pkey()), absent -> new long[2]);
    sums[0] += write.growth();
    sums[1] += write.documents();
  }

  private void addUnique(PlannedWrite write, int index, byte[] key, long record) {
    uniqueAdded.add(parts.get(write.part()).place, index, key, record);
    uniqueOwners.add(write);
  }

  private void addEntries(PlannedWrite write, Part part, long record) {
    for (Entry entry : write.removed) {
      LongKey key = LongKey.of(entry.key());
      removed.add(part.place, entry.index().id(), key.head(), key.tail(), record);
      if (entry.unique() != null) {
        uniqueRemoved.add(part.place, entry.index().id(), entry.unique());
      }
    }
    for (Entry entry : write.added) {
      int index = entry.index().id();
      LongKey key = LongKey.of(entry.key());
      added.add(part.place, index, key.head(), key.tail(), record);
      if (entry.unique() != null) {
        addUnique(write, index, entry.unique(), record);
      } else if (entry.index().spec().isPreparedUnique()) {
        alone.add(part.place, index, key.head(), record);
        aloneKeys.add(new RowKey(part.part, index, entry.key()));
      }
    }
  }

  /** What is not known to be in the database; from now on it is known here. */
  private void addSeen() {
    var fresh = new HashMap<RowKey, Seen>();
    for (PlannedWrite write : plan.applied) {
      for (Met met : write.met) {
        engine.facts().saw(write.part(), met.index(), met.seen());
        Seen known = engine.facts().stored(write.part(), met.index());
        if (known == null || !known.contains(met.seen())) {
          fresh.merge(
              new RowKey(write.part(), met.index(), Columns.nothing()), met.seen(), Seen::with);
        }
      }
    }
    fresh.forEach(
        (key, bits) ->
            seen.add(parts.get(key.part()).place, key.index(), bits.multikey(), bits.numbers()));
  }

  private void storedAll() {
    for (int i = 0; i < seen.size(); i++) {
      Object[] row = seen.row(i);
      long part = new ArrayList<>(parts.keySet()).get((Integer) row[0] - 1);
      engine.facts().isStored(part, (Integer) row[1], new Seen((Long) row[2], (Long) row[3]));
    }
  }

  End run(DatabaseSession session, long call, WriteFacts facts) {
    var parameters = new ArrayList<Object>();
    parameters.addAll(List.of(session.slot, session.lastCall, call));
    var of = List.copyOf(parts.values());
    parameters.add(of.stream().mapToLong(one -> one.part).toArray());
    parameters.add(of.stream().mapToInt(one -> one.one.collection.id()).toArray());
    parameters.add(of.stream().mapToLong(one -> one.one.state.epoch()).toArray());
    parameters.add(of.stream().mapToLong(one -> one.inserted).toArray());
    parameters.add(of.stream().mapToLong(one -> one.documents).toArray());
    parameters.add(of.stream().mapToLong(one -> one.bytes).toArray());
    long limit = engine.options().limits().logicalPartitionBytes();
    parameters.addAll(List.of(owner.id(), owner.claims(), limit));
    for (Columns columns :
        List.of(writes, free, alone, uniqueAdded, uniqueRemoved, added, removed, sizes, seen)) {
      columns.appendTo(parameters);
    }
    List<Result> results =
        session.query(
            SQL,
            row ->
                new Result(
                    row.getInt(1),
                    row.getInt(2),
                    row.getLong(3),
                    new PartitionStatistics(row.getLong(4), row.getLong(5), row.getLong(6))),
            parameters.toArray());
    return ended(results, of, facts);
  }

  private End ended(List<Result> results, List<Part> of, WriteFacts facts) {
    var end = End.APPLIED;
    for (Result result : results) {
      End one = heard(result, of, facts);
      end = one == End.APPLIED ? end : one;
    }
    if (end == End.APPLIED) {
      storedAll();
    }
    return end;
  }

  private End heard(Result result, List<Part> of, WriteFacts facts) {
    int n = result.n - 1;
    switch (result.what) {
      case APPLIED -> {
        time = result.value;
        engine.facts().heard(of.get(n).part, result.sizes);
        return End.APPLIED;
      }
      case STALE -> {
        return End.STALE;
      }
      case CLAIMS_LOST -> {
        return End.CLAIMS_LOST;
      }
      case TAKEN -> facts.taken.add(freeKeys.get(n));
      case OUTDATED -> facts.outdated.add(plan.applied.get(n));
      case FULL -> facts.sizes.put(sizeKeys.get(n), result.value);
      case CLAIMED -> facts.claimed.add(plan.applied.get(n));
      case KEY_CLAIMED -> facts.claimed.add(uniqueOwners.get(n));
      case SHARED -> facts.shared.add(aloneKeys.get(n));
      default ->
          throw new StorageException(
              StorageException.Reason.UNUSABLE, "the database answered " + result.what);
    }
    return End.REFUSED;
  }
}
