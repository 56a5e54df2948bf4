package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.FullDocumentBeforeChange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/** Events that no reply can hold. */
final class LargeEventsTest {
  private static final Document SPLIT = Document.parse("{$changeStreamSplitLargeEvent: {}}");
  private static final int BYTES = 9 << 20;

  private static MongoCollection<Document> things(MongoClient client) {
    var images = "{create: 'things', changeStreamPreAndPostImages: {enabled: true}}";
    client.getDatabase("db").runCommand(Document.parse(images));
    MongoCollection<Document> things = client.getDatabase("db").getCollection("things");
    things.insertOne(new Document("_id", 1).append("large", "x".repeat(BYTES)));
    return things;
  }

  private static ChangeStreamIterable<Document> watch(
      MongoCollection<Document> things, Document... stages) {
    return things
        .watch(List.of(stages))
        .fullDocument(FullDocument.REQUIRED)
        .fullDocumentBeforeChange(FullDocumentBeforeChange.REQUIRED);
  }

  @Test
  void aLargeEventComesInFragmentsAndGoesOnBehindEach() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      var things = things(client);
      var seen = new ArrayList<ChangeStreamDocument<Document>>();
      try (var events = watch(things, SPLIT).cursor()) {
        things.updateOne(Filters.eq(1), Updates.set("b", 1));
        things.insertOne(new Document("_id", 2));
        for (int i = 0; i < 3; i++) {
          seen.add(events.next());
        }
      }
      assertThat(seen.get(0).getSplitEvent().getFragment()).isEqualTo(1);
      assertThat(seen.get(0).getSplitEvent().getOf()).isEqualTo(2);
      assertThat(seen.get(0).getFullDocument().getString("large")).hasSize(BYTES);
      assertThat(seen.get(0).getFullDocumentBeforeChange()).isNull();
      assertThat(seen.get(1).getSplitEvent().getFragment()).isEqualTo(2);
      assertThat(seen.get(1).getFullDocumentBeforeChange().getString("large")).hasSize(BYTES);
      assertThat(seen.get(2).getSplitEvent()).isNull();
      for (int i = 0; i < 2; i++) {
        BsonDocument token = seen.get(i).getResumeToken();
        try (var events = watch(things, SPLIT).resumeAfter(token).cursor()) {
          assertThat(events.next().getResumeToken()).isEqualTo(seen.get(i + 1).getResumeToken());
        }
      }
    }
  }

  @Test
  void aFragmentIsNoPlaceForAStreamThatDoesNotSplit() throws IOException {
    try (TestServer server = TestServer.start();
        MongoClient client = server.client("", "")) {
      var things = things(client);
      BsonDocument token;
      try (var events = watch(things, SPLIT).cursor()) {
        things.updateOne(Filters.eq(1), Updates.set("b", 1));
        token = events.next().getResumeToken();
      }
      var small = Document.parse("{$unset: ['fullDocument', 'fullDocumentBeforeChange']}");
      assertRefused(280, () -> watch(things).resumeAfter(token).cursor());
      assertRefused(280, () -> watch(things, small, SPLIT).resumeAfter(token).cursor().next());
      assertRefused(7182802, () -> watch(things, SPLIT, small).cursor());
    }
  }

  private static void assertRefused(int code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            MongoCommandException.class, e -> assertThat(e.getErrorCode()).isEqualTo(code));
  }
}
