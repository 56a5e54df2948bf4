package dev.orrery.server.aggregate;

import dev.orrery.storage.Namespace;
import dev.orrery.storage.value.RawDocument;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** What a pipeline reaches beyond the documents it is given: collections and the server itself. */
public interface Environment extends Catalog {
  /** Raw documents one after the other. */
  interface RawStream extends AutoCloseable {
    /** The next document, or null at the end. */
    @Nullable RawDocument next();

    @Override
    void close();
  }

  /** The documents of a collection that a query asks for; none when there is no collection. */
  RawStream read(Namespace namespace, SourceQuery query);

  /** Whether an index of the collection begins with that field. */
  boolean hasIndex(Namespace namespace, String field);

  /** The result of $collStats with that specification. */
  BsonDocument collectionStatistics(Namespace namespace, BsonDocument specification);

  /** The result of $indexStats. */
  List<BsonDocument> indexStatistics(Namespace namespace);

  /** What the server does right now, as $currentOp prints it. */
  List<BsonDocument> currentOperations(BsonDocument specification);

  /**
   * The sessions of this server, as $listLocalSessions prints them.
   *
   * @param owners whose, as {@code user@database}; empty for those of the user who asks, null for
   *     everybody's
   */
  List<BsonDocument> sessions(@Nullable List<String> owners);

  /** What plans are kept for queries on a collection, which must be there. */
  List<BsonDocument> planCache(Namespace namespace);

  /** Where $out and $merge write. */
  Output output();
}
