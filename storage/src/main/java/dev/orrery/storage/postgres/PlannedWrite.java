package dev.orrery.storage.postgres;

import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.IndexKeySet;
import dev.orrery.storage.postgres.CollectionState.Index;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One operation with all that it changes in the rows of its partition, by one description. */
final class PlannedWrite {
  static final int INSERT = 0;
  static final int REPLACE = 1;
  static final int DELETE = 2;

  /** The number of the primary key among the unique keys. */
  static final int PRIMARY = -1;

  private static final byte[] NOTHING = {};

  /**
   * A key that comes or goes.
   *
   * @param unique as unique keys are kept; null if others may have it too
   */
  record Entry(Index index, byte[] key, byte @Nullable [] unique) {}

  /** What the fields of an index met in the document. */
  record Met(int index, Seen seen) {}

  final PostgresCollection collection;
  final CollectionState state;
  final int kind;
  final PrimaryKey key;
  final @Nullable StoredDocument before;
  final @Nullable RawDocument after;
  final @Nullable RawDocument delta;
  final int partition;
  final List<Entry> added = new ArrayList<>();
  final List<Entry> removed = new ArrayList<>();
  final List<Met> met = new ArrayList<>();

  /** Why no keys could be made; null if they could. */
  @Nullable WriteOutcome refusal;

  private PlannedWrite(
      PostgresCollection collection, CollectionState state, int kind, PrimaryKey key, Bodies of) {
    this.collection = collection;
    this.state = state;
    this.kind = kind;
    this.key = key;
    this.before = of.before;
    this.after = of.after;
    this.delta = of.delta;
    this.partition = state.owner(key.epk());
    try {
      compareKeys();
    } catch (IndexKeyException e) {
      refusal = WriteOutcome.unindexable(e);
    }
  }

  private record Bodies(
      @Nullable StoredDocument before, @Nullable RawDocument after, @Nullable RawDocument delta) {}

  /**
   * What an operation does if the collection is as its state says. Throws what refuses the whole
   * batch; null when the collection is gone.
   */
  static @Nullable PlannedWrite of(WriteOperation operation) {
    var collection = (PostgresCollection) operation.collection();
    if (operation instanceof WriteOperation.Insert insert) {
      var key = (PrimaryKey) insert.key();
      PrimaryKeys.requireNoArray(key.partitionKey());
      return of(collection, INSERT, key, new Bodies(null, insert.document(), null));
    } else if (operation instanceof WriteOperation.Replace replace) {
      StoredDocument before = replace.before();
      PrimaryKey key = collection.keys.ofReplacement(before.document(), replace.after());
      return of(collection, REPLACE, key, new Bodies(before, replace.after(), replace.delta()));
    }
    StoredDocument before = ((WriteOperation.Delete) operation).before();
    PrimaryKey key = collection.keys.of(before.document());
    return of(collection, DELETE, key, new Bodies(before, null, null));
  }

  private static @Nullable PlannedWrite of(
      PostgresCollection collection, int kind, PrimaryKey key, Bodies of) {
    CollectionState state = collection.state();
    return state == null ? null : new PlannedWrite(collection, state, kind, key, of);
  }

  private void compareKeys() {
    for (Index index : state.indexes()) {
      List<byte[]> old =
          before == null ? List.of() : index.keys().extract(before.document()).keys();
      List<byte[]> fresh = List.of();
      if (after != null) {
        IndexKeySet keys = index.keys().extract(after);
        fresh = keys.keys();
        met.add(new Met(index.id(), Seen.of(keys)));
      }
      differ(index, fresh, old, added);
      differ(index, old, fresh, removed);
    }
  }

  private void differ(Index index, List<byte[]> keys, List<byte[]> others, List<Entry> into) {
    for (byte[] one : keys) {
      if (Collections.binarySearch(others, one, Arrays::compareUnsigned) < 0) {
        byte[] unique = index.isUnique() ? PrimaryKeys.uniqueKey(key.logicalKey(), one) : null;
        into.add(new Entry(index, one, unique));
      }
    }
  }

  long part() {
    return state.part(partition);
  }

  /** Under which sizes are kept; nothing in a collection without a partition key. */
  byte[] pkey() {
    return key.logicalKey() == null ? NOTHING : key.logicalKey();
  }

  long growth() {
    return (after == null ? 0 : after.length()) - (before == null ? 0 : before.document().length());
  }

  int documents() {
    return (after == null ? 0 : 1) - (before == null ? 0 : 1);
  }

  /** What counts for request units. */
  int writtenBytes() {
    return after == null ? before.document().length() : after.length();
  }

  WriteOutcome duplicateId() {
    return WriteOutcome.duplicate(idIndex(), key.bytes());
  }

  private IndexSpec idIndex() {
    return state.info().indexes().isEmpty()
        ? IndexSpec.idIndex()
        : state.info().indexes().get(0).spec();
  }
}
