package dev.orrery.storage;

import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.RawDocument;
import java.util.Objects;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** One thing that a commit changed, as the feed of changes tells it. */
public sealed interface Change {
  /**
   * A document that came, changed or went.
   *
   * @param collection whose it was at that moment
   * @param document as it is after the change; of a deletion its partition key and {@code _id}
   * @param image what else was written down
   */
  record OfDocument(Kind kind, CollectionIdentity collection, RawDocument document, Image image)
      implements Change {
    public OfDocument {
      Objects.requireNonNull(image);
    }
  }

  /** What became of a document. */
  enum Kind {
    INSERT,
    REPLACE,
    DELETE
  }

  /**
   * What was written down with a change.
   *
   * @param delta what the writer said of the difference; null when it said nothing
   * @param before the document as it was; null unless the collection keeps images
   * @param effort what the write took; null when the engine did not write it down
   */
  record Image(@Nullable RawDocument delta, @Nullable RawDocument before, @Nullable Effort effort) {
    public static final Image NONE = new Image(null, null, null);
  }

  /**
   * What a write is priced by, besides the document itself.
   *
   * @param bytesBefore of the version before; 0 of an insert
   * @param terms index entries added and removed
   * @param uniqueIndexes that were asked, besides the one on {@code _id}
   */
  record Effort(int bytesBefore, int terms, int uniqueIndexes) {}

  /**
   * A collection or view that came (nothing before), changed, or went (nothing after). Splits are
   * such changes too.
   */
  record OfStructure(@Nullable CollectionInfo before, @Nullable CollectionInfo after)
      implements Change {}

  /** What the reader has no interest in; it keeps the places of the others. */
  record Unwanted() implements Change {
    public static final Unwanted ONE = new Unwanted();
  }

  /** Something that was told with {@link Structures#announce}. */
  record Announcement(BsonDocument document) implements Change {}
}
