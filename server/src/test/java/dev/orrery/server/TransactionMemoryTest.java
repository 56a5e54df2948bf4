package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What transactions change is held in memory until they end, out of the server's budget. */
class TransactionMemoryTest {
  private static final int TOO_LARGE = 257;
  private static final int WRITE_CONFLICT = 112;
  private static final int MEGABYTE = 1 << 20;
  private static final String TEXT = "t".repeat(MEGABYTE);

  private TestServer server;
  private MongoClient client;
  private MongoCollection<Document> collection;
  private int next;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.start("--limit=memory=16MB");
    client = server.client("", "");
    collection = client.getDatabase("test").getCollection("c");
    collection.insertOne(new Document("_id", "first"));
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private ClientSession begin() {
    ClientSession session = client.startSession();
    session.startTransaction();
    return session;
  }

  private void insert(ClientSession session, int megabytes) {
    for (int i = 0; i < megabytes; i++) {
      collection.insertOne(session, new Document("_id", next++).append("t", TEXT));
    }
  }

  private long usedBytes() {
    Document status = client.getDatabase("test").runCommand(new Document("serverStatus", 1));
    return ((Number) status.get("memoryBudget", Document.class).get("usedBytes")).longValue();
  }

  @Test
  void allTogetherHoldHalfOfTheBudgetAndLaterOnesAreAskedToTryAgain() throws Exception {
    var open = new ArrayList<ClientSession>();
    for (int i = 0; i < 3; i++) {
      open.add(begin());
      insert(open.get(i), 2);
    }
    assertThat(usedBytes()).isBetween(6L * MEGABYTE, 7L * MEGABYTE);
    var late = begin();
    var refused = catchThrowableOfType(MongoException.class, () -> insert(late, 3));
    assertThat(refused.getCode()).isEqualTo(WRITE_CONFLICT);
    assertThat(refused.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)).isTrue();
    late.abortTransaction();
    open.get(0).commitTransaction();
    open.get(1).abortTransaction();
    open.get(2).close();
    assertThat(usedBytes()).isZero();
    late.startTransaction();
    insert(late, 3);
    late.commitTransaction();
    assertThat(usedBytes()).isZero();
    assertThat(collection.countDocuments()).isEqualTo(1 + 2 + 3);
    Waiting.until(this::usedBytes, used -> used == 0); // a read gives back after its reply
  }

  @Test
  void whatIsTooLargeAloneNeedNotBeTriedAgain() {
    var session = begin();
    var refused = catchThrowableOfType(MongoException.class, () -> insert(session, 8));
    assertThat(refused.getCode()).isEqualTo(TOO_LARGE);
    assertThat(refused.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)).isFalse();
    session.close();
    assertThat(usedBytes()).isZero();
    assertThat(collection.countDocuments()).isEqualTo(1);
  }

  @Test
  void whatIsDeletedOrReplacedIsHeldTooUntilTheEnd() {
    collection.insertMany(documents(8));
    var session = begin();
    var refused =
        catchThrowableOfType(
            MongoException.class, () -> collection.deleteMany(session, new Document("t", TEXT)));
    assertThat(refused.getCode()).isEqualTo(TOO_LARGE);
    session.abortTransaction();
    session.startTransaction();
    collection.updateMany(
        session, new Document("_id", new Document("$in", List.of(0, 1))), unsetText());
    assertThat(usedBytes()).isGreaterThan(2L * MEGABYTE);
    session.commitTransaction();
    assertThat(usedBytes()).isZero();
  }

  /** The rest of the message is not kept for the sake of one document in it. */
  @Test
  void aDocumentIsHeldWithoutTheMessageThatBroughtIt() {
    var session = begin();
    var comment = new BsonString("c".repeat(4 * MEGABYTE));
    for (int i = 0; i < 20; i++) {
      client
          .getDatabase("test")
          .runCommand(
              session,
              new Document("insert", "c")
                  .append("documents", List.of(new Document("_id", i)))
                  .append("comment", comment));
    }
    assertThat(usedBytes()).isLessThan(MEGABYTE);
    session.commitTransaction();
    assertThat(collection.countDocuments()).isEqualTo(21);
  }

  private static Document unsetText() {
    return new Document("$unset", new Document("t", ""));
  }

  private List<Document> documents(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new Document("_id", next++).append("t", TEXT))
        .toList();
  }
}
