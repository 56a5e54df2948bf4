package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Counts the documents of a stream, and the time until they come. */
final class StreamMeter implements DocumentStream {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final DocumentStream stream;
  private long returned;
  private long nanos;

  StreamMeter(DocumentStream stream) {
    this.stream = stream;
  }

  @Override
  public @Nullable BsonDocument next() {
    long start = System.nanoTime();
    BsonDocument next = stream.next();
    nanos += System.nanoTime() - start;
    returned += next == null ? 0 : 1;
    return next;
  }

  /** Counts what another one counted. */
  void add(StreamMeter other) {
    returned += other.returned;
    nanos += other.nanos;
  }

  Pipeline.Measured measured() {
    return new Pipeline.Measured(returned, nanos / NANOS_PER_MILLI);
  }

  @Override
  public void close() {
    stream.close();
  }
}
