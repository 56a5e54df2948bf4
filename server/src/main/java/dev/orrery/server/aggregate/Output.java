package dev.orrery.server.aggregate;

import dev.orrery.storage.Namespace;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Writes the results of $out and $merge. Every method may throw what the write of a user would. */
public interface Output {
  /** The names of the unique, complete, plain indexes' fields, each in its order. */
  List<List<String>> uniqueKeys(Namespace target);

  /** A collection under construction that is to take the place of another. */
  interface Replacement extends AutoCloseable {
    void insert(List<BsonDocument> documents);

    /** Puts the new collection in place of the old one. */
    void commit();

    /** Drops the new collection, if it was not committed. */
    @Override
    void close();
  }

  /** Begins to replace a collection, whose indexes and options the new one takes over. */
  Replacement replace(Namespace target);

  /** The document whose fields equal those of {@code key}, or null. */
  @Nullable BsonDocument find(Namespace target, BsonDocument key);

  /** Inserts one document; creates the collection if need be. */
  void insert(Namespace target, BsonDocument document);

  /** Replaces one document by another with the same {@code _id}; false if it changed meanwhile. */
  boolean replace(Namespace target, BsonDocument before, BsonDocument after);
}
