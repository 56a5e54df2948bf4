package dev.orrery.language.aggregate.stage;

import dev.orrery.language.query.Collation;
import dev.orrery.value.Namespace;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Writes the results of $out and $merge. Every method may throw what the write of a user would. */
public interface Output {
  /** Refuses a target that no user may write to. */
  void requireWritable(Namespace target);

  /** Begins to replace a collection, whose indexes and options the new one takes over. */
  Replacement replace(Namespace target);

  /** The document with the key that the target makes of its fields, by which it may be found. */
  default BsonDocument keyed(Namespace target, BsonDocument document) {
    return document;
  }

  /** The document whose fields equal those of {@code key} by that collation, or null. */
  @Nullable Existing find(Namespace target, BsonDocument key, Collation collation);

  /** Inserts one document; creates the collection if need be. */
  void insert(Namespace target, BsonDocument document);

  /** A collection under construction that is to take the place of another. */
  interface Replacement extends AutoCloseable {
    void insert(BsonDocument document);

    /** Puts the new collection in place of the old one. */
    void commit();

    /** Drops the new collection, if it was not committed. */
    @Override
    void close();
  }

  /** A document that is there already. */
  interface Existing {
    BsonDocument document();

    /**
     * Writes another body; false if somebody else changed the document meanwhile.
     *
     * @param isWhole whether followers of changes are told the new body, not the difference
     */
    boolean replace(BsonDocument after, boolean isWhole);
  }
}
