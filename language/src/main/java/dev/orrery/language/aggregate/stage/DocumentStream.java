package dev.orrery.language.aggregate.stage;

import java.util.Iterator;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Documents one after the other, pulled by the stage that comes next. Nobody changes a document
 * that came out of a stream: stages share them. One thread at a time uses it.
 */
public interface DocumentStream extends AutoCloseable {
  /** The next document, or null at the end; not called again after that. */
  @Nullable BsonDocument next();

  /** Gives back what is held, such as temporary files; may be called twice. */
  @Override
  default void close() {}

  /** Others that are made of these, and hold nothing else. */
  default DocumentStream giving(Supplier<@Nullable BsonDocument> next) {
    return new DocumentStream() {
      @Override
      public @Nullable BsonDocument next() {
        return next.get();
      }

      @Override
      public void close() {
        DocumentStream.this.close();
      }
    };
  }

  /** The documents of an iterator. */
  static DocumentStream of(Iterator<? extends BsonDocument> documents) {
    return () -> documents.hasNext() ? documents.next() : null;
  }
}
