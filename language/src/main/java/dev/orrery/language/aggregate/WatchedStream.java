package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.limit.Allowance;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * What a stage gives, counted. It stands behind every stage, so that one which takes documents and
 * gives none ends with its request too.
 */
final class WatchedStream implements DocumentStream {
  private final DocumentStream stream;

  WatchedStream(DocumentStream stream) {
    this.stream = stream;
  }

  @Override
  public @Nullable BsonDocument next() {
    Allowance.current().step(); // not kept, as the next batch belongs to another request
    return stream.next();
  }

  @Override
  public void close() {
    stream.close();
  }
}
