package dev.orrery.server.transfer.source;

import dev.orrery.value.Namespace;

/**
 * A collection or view as a source has it.
 *
 * @param isPacked whether its documents are those of {@code system.buckets.NAME}: a time series
 */
public record SourceCollection(Namespace namespace, CollectionMetadata metadata, boolean isPacked) {
  private static final String BUCKETS = "system.buckets.";

  public SourceCollection(Namespace namespace, CollectionMetadata metadata) {
    this(namespace, metadata, false);
  }

  public boolean isView() {
    return metadata.isView();
  }

  /** The name under which a server, and the files of a dump, have its documents. */
  public Namespace documents() {
    return isPacked ? bucketsOf(namespace) : namespace;
  }

  /** Where a server has the buckets of a time series. */
  public static Namespace bucketsOf(Namespace series) {
    return new Namespace(series.database(), BUCKETS + series.collection());
  }

  /** The time series whose buckets these are; the same name if it is none of buckets. */
  static Namespace seriesOf(Namespace buckets) {
    return buckets.collection().startsWith(BUCKETS)
        ? new Namespace(buckets.database(), buckets.collection().substring(BUCKETS.length()))
        : buckets;
  }
}
