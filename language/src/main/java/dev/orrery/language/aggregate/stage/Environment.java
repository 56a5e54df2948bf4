package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What a pipeline reaches beyond the documents it is given: collections and the server itself. */
public interface Environment extends KnownCollections {
  /** Raw documents one after the other. */
  interface RawStream extends AutoCloseable {
    /** The next document, or null at the end. */
    @Nullable RawDocument next();

    /** What {@code $meta} finds for the last document, by name. */
    default Map<String, BsonValue> metadata() {
      return Map.of();
    }

    @Override
    void close();
  }

  /** Some of the documents that a query asks for; any thread may read them. */
  interface RawPart {
    /**
     * @param check called before each document; throws when no more are wanted
     */
    RawStream open(Runnable check);
  }

  /** The documents of a collection that a query asks for; none when there is no collection. */
  RawStream read(Namespace namespace, SourceQuery query);

  /**
   * The same in parts that several threads may read side by side: one after the other they give
   * what {@link #read} gives. There is one part if more are not worth it.
   */
  default List<RawPart> readParts(Namespace namespace, SourceQuery query) {
    return List.of(check -> read(namespace, query));
  }

  /** Runs tasks on threads that have nothing else to do; refuses them when there is none. */
  default Executor spareThreads() {
    return task -> {
      throw new RejectedExecutionException("there are no further threads");
    };
  }

  /** Events one after the other. */
  interface EventStream extends AutoCloseable {
    /** The next event, or null when there is none yet; may be called again after that. */
    @Nullable BsonDocument next();

    /** Whether it goes on behind an event that it shows, if that has not turned out otherwise. */
    boolean hasPoint();

    /** Whether the last event was that one, which the client has seen before. */
    boolean isPoint();

    @Override
    void close();
  }

  /** What happens in a collection, in a database, or everywhere, as $changeStream shows it. */
  EventStream changes(Namespace namespace, ChangeStreamOptions options);

  /** The path of the only geo index of a collection. */
  default String geoField(Namespace namespace) {
    throw new CommandException(
        ErrorCode.INDEX_NOT_FOUND, "$geoNear requires a 2d or 2dsphere index, but none were found");
  }

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

  /** How the documents of partitioned collections are divided, for each of them. */
  default List<BsonDocument> shardedData() {
    return List.of();
  }

  /** What plans are kept for queries on a collection, which must be there. */
  List<BsonDocument> planCache(Namespace namespace);

  /** Where $out and $merge write. */
  Output output();
}
