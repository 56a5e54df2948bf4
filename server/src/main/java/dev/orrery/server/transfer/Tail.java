package dev.orrery.server.transfer;

import com.mongodb.MongoClientSettings;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.OperationType;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonDocumentWriter;
import org.bson.codecs.Codec;
import org.bson.codecs.EncoderContext;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;

/**
 * Prints events, and keeps the place behind those that are printed: after a kill some may come
 * again, and none is lost.
 */
final class Tail {
  private static final JsonWriterSettings RELAXED =
      JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();
  private static final int AWAIT_SECONDS = 1;
  private static final Codec<ChangeStreamDocument<BsonDocument>> EVENTS = codec();
  private static final List<String> FIRST =
      List.of(
          "_id",
          "operationType",
          "clusterTime",
          "collectionUUID",
          "wallTime",
          "fullDocument",
          "ns",
          "to",
          "documentKey",
          "updateDescription");

  private final PrintStream out;
  private final @Nullable TailPlace place;
  private final int limit;
  private @Nullable BsonDocument written;

  /**
   * @param place null when nobody comes back
   */
  Tail(PrintStream out, @Nullable TailPlace place, int limit) {
    this.out = out;
    this.place = place;
    this.limit = limit;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // the driver's factory knows the class only
  private static Codec<ChangeStreamDocument<BsonDocument>> codec() {
    Codec<?> codec =
        ChangeStreamDocument.createCodec(
            BsonDocument.class, MongoClientSettings.getDefaultCodecRegistry());
    return (Codec) codec;
  }

  /** Until there were enough events, the stream has ended, or nobody reads. */
  void follow(ChangeStreamIterable<BsonDocument> stream) throws IOException {
    try (MongoChangeStreamCursor<ChangeStreamDocument<BsonDocument>> events =
        stream.maxAwaitTime(AWAIT_SECONDS, TimeUnit.SECONDS).cursor()) {
      int count = 0;
      boolean isOver = false;
      while (count < limit && !isOver && !out.checkError()) {
        ChangeStreamDocument<BsonDocument> event = events.tryNext();
        if (event == null) {
          keep(events.getResumeToken());
          continue;
        }
        count++;
        isOver = event.getOperationType() == OperationType.INVALIDATE;
        print(ordered(event));
        boolean isLast = count == limit || isOver || events.available() == 0;
        if (isLast && !out.checkError()) {
          keep(event.getResumeToken());
        }
      }
    }
  }

  /** An event in the order of its fields that people know. */
  private static BsonDocument ordered(ChangeStreamDocument<BsonDocument> event) {
    var encoded = new BsonDocument();
    EVENTS.encode(new BsonDocumentWriter(encoded), event, EncoderContext.builder().build());
    var ordered = new BsonDocument();
    for (String name : FIRST) {
      if (encoded.containsKey(name)) {
        ordered.append(name, encoded.remove(name));
      }
    }
    ordered.putAll(encoded);
    return ordered;
  }

  private void print(BsonDocument event) {
    byte[] line = (event.toJson(RELAXED) + "\n").getBytes(StandardCharsets.UTF_8);
    out.write(line, 0, line.length);
    out.flush();
  }

  private void keep(@Nullable BsonDocument token) throws IOException {
    if (place != null && token != null && !token.equals(written)) {
      place.write(token);
      written = token;
    }
  }
}
