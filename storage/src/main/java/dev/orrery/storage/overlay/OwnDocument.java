package dev.orrery.storage.overlay;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.value.RawDocument;
import org.jspecify.annotations.Nullable;

/** A document that a transaction changed: what it was at the snapshot, and what it is now. */
final class OwnDocument {
  /**
   * Where a document is.
   *
   * @param partition through which it was met first
   * @param epk the effective partition key, by which it belongs to partitions of the present
   * @param recordId that of the base, or one that no record has
   */
  record Place(
      CollectionStore collection,
      OverlayPartition partition,
      String epk,
      byte[] primaryKey,
      long recordId) {}

  final Place place;

  /** Null for one that the transaction brought. */
  final @Nullable StoredDocument base;

  private @Nullable RawDocument present;
  private @Nullable RawDocument delta;
  private int changes;
  private long version;

  OwnDocument(Place place, @Nullable StoredDocument base) {
    this.place = place;
    this.base = base;
    this.present = base == null ? null : base.document();
  }

  long recordId() {
    return place.recordId();
  }

  CollectionStore collection() {
    return place.collection();
  }

  /** What the transaction sees; null for nothing. */
  @Nullable RawDocument present() {
    return present;
  }

  boolean is(long otherVersion) {
    return version == otherVersion;
  }

  void become(@Nullable RawDocument document, long newVersion) {
    present = document;
    version = newVersion;
    changes++;
  }

  boolean hasChangedTwice() {
    return changes > 1;
  }

  /** Notes what the last change said of the difference it made. */
  void tell(@Nullable RawDocument told) {
    delta = changes == 1 ? told : null;
  }

  /** What followers of changes are told of the difference; null after several changes. */
  @Nullable RawDocument delta() {
    return delta;
  }

  /** As it is read; null when it is not there. */
  @Nullable StoredDocument stored() {
    return present == null
        ? null
        : new StoredDocument(place.partition(), recordId(), version, present);
  }
}
