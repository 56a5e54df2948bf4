package dev.orrery.storage.power;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.Transaction;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Books are added and their author's {@code countOfBooks} is raised, in one transaction each. The
 * process is killed, or the power cut, before every operation on a file: the count always equals
 * the books, and nothing is lost that was acknowledged.
 *
 * <p>{@code -Dkill.every=true} takes more transactions.
 */
final class BooksKillTest {
  private static final Namespace BOOKS = new Namespace("library", "books");
  private static final Namespace AUTHORS = new Namespace("library", "authors");
  private static final int TRANSACTIONS = Boolean.getBoolean("kill.every") ? 60 : 9;
  private static final int PARTITIONS = 4;

  /** Now and then a transaction is larger than a segment of the log. */
  private static final int LARGE_BYTES = 20 << 10;

  @TempDir Path root;

  private ChronicleEngine engine;
  private PowerModel power;
  private final List<Kill> kills = new ArrayList<>();
  private volatile int acknowledged;
  private volatile int written;

  /** The files at one moment, and how many books must and may be in them. */
  private record Kill(Path copy, String operation, int sure, int possible) {}

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theCountEqualsTheBooks(boolean isPowerCut) throws IOException {
    Path live = root.resolve("live");
    power = new PowerModel(live);
    var path = new RecordedPath(new RecordedDisk(live, power), live);
    engine = ChronicleEngine.open(path, KillStore.options(true), new NoHooks());
    create(BOOKS);
    create(AUTHORS);
    commitBooks(0);
    power.beforeOperations(() -> {}, operation -> kill(live, isPowerCut, operation));
    for (int i = 1; i <= TRANSACTIONS; i++) {
      commitBooks(i);
      if (i % 4 == 0) {
        engine.checkpoint();
      }
    }
    power.beforeOperations(() -> {}, operation -> {});
    engine.close();
    assertThat(kills).hasSizeGreaterThan(2 * TRANSACTIONS);
    kills.forEach(BooksKillTest::check); // not on the thread of the log, which must not wait
  }

  private void create(Namespace namespace) {
    engine.create(
        namespace,
        new CollectionInfo.Creation(
            new BsonDocument(),
            "_id",
            List.of(IndexSpec.idIndex()),
            PARTITIONS,
            new BsonDocument()));
  }

  /** Adds three books and counts them; the first call adds the author. */
  private void commitBooks(int number) {
    try (Transaction transaction = engine.begin(0)) {
      CollectionStore books = engine.find(BOOKS);
      CollectionStore authors = engine.find(AUTHORS);
      var meter = new WorkMeter();
      written = number * 3;
      for (int i = 0; number > 0 && i < 3; i++) {
        BsonDocument book = id("b" + (written - i));
        book.append("text", new BsonString("x".repeat(number % 5 == 0 ? LARGE_BYTES : 10)));
        transaction.write(
            WriteBatch.of(new WriteOperation.Insert(books, RawDocument.of(book))), meter);
      }
      RawDocument author = RawDocument.of(id("a").append("countOfBooks", new BsonInt32(written)));
      StoredDocument before = number == 0 ? null : author(transaction, authors);
      transaction.write(
          WriteBatch.of(
              before == null
                  ? new WriteOperation.Insert(authors, author)
                  : new WriteOperation.Replace(authors, before, author)),
          meter);
      CommitResult result = Lane.await(transaction.commit(List::of, meter));
      assertThat(result.outcomes()).allMatch(outcome -> outcome.isApplied());
      Lane.await(result.receipt().whenDurable());
      acknowledged = written;
    }
  }

  private static StoredDocument author(Transaction view, CollectionStore authors) {
    RawValue key = RawValue.of(new BsonString("a"));
    return Lane.await(
        view.partitionOf(authors, key).find(authors.primaryKey(key, key), new WorkMeter()));
  }

  private static BsonDocument id(String id) {
    return new BsonDocument("_id", new BsonString(id));
  }

  private void kill(Path live, boolean isPowerCut, String operation) throws IOException {
    Path copy = root.resolve("kill" + kills.size());
    kills.add(new Kill(copy, operation, acknowledged, written));
    if (isPowerCut) {
      Files.createDirectories(copy);
      power.cut(copy, new Random(kills.size()));
    } else {
      KillStore.copy(live, copy);
    }
  }

  private static void check(Kill kill) {
    try (var engine = ChronicleEngine.open(kill.copy, KillStore.options(false), new NoHooks())) {
      int count = 0;
      for (PartitionStore partition : engine.find(AUTHORS).partitions()) {
        StoredDocument author = partition.scan(false).awaitNext(new WorkMeter());
        if (author != null) {
          count = author.document().toBsonDocument().getInt32("countOfBooks").getValue();
        }
      }
      assertThat(books(engine)).as("before %s", kill.operation).isEqualTo(count);
      assertThat(count).as("before %s", kill.operation).isBetween(kill.sure, kill.possible);
    }
    KillTest.delete(kill.copy);
  }

  private static int books(ChronicleEngine restarted) {
    int books = 0;
    for (PartitionStore partition : restarted.find(BOOKS).partitions()) {
      RecordCursor all = partition.scan(false);
      while (all.awaitNext(new WorkMeter()) != null) {
        books++;
      }
    }
    return books;
  }
}
