import com.mongodb.MongoWriteException;
import com.mongodb.client.model.Accumulators;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.Updates;
import com.mongodb.reactivestreams.client.MongoClients;
import com.mongodb.reactivestreams.client.MongoDatabase;
import com.mongodb.reactivestreams.client.gridfs.GridFSBuckets;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.bson.Document;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Stores and reads documents and a file with the reactive streams driver, one fact a line. */
public final class Reactive {
  private static final int FILE_BYTES = 10 * 1024 * 1024 + 17;

  /** The driver complains when it finds no SLF4J; held here, or the setting could be forgotten. */
  private static final Logger DRIVER = Logger.getLogger("org.mongodb.driver");

  private Reactive() {}

  public static void main(String[] arguments) {
    DRIVER.setLevel(Level.OFF);
    try (var client = MongoClients.create(arguments[0])) {
      MongoDatabase database = client.getDatabase(arguments[1]);
      say("ping", Mono.from(database.runCommand(new Document("ping", 1))).block().get("ok"));
      documents(database);
      file(database);
      Mono.from(database.drop()).block();
      say("databases", Flux.from(client.listDatabaseNames()).any(arguments[1]::equals).block());
    }
  }

  private static void documents(MongoDatabase database) {
    var things = database.getCollection("things");
    List<Document> documents =
        IntStream.range(0, 1_000)
            .mapToObj(n -> new Document("_id", n).append("third", n % 3))
            .toList();
    say("inserted", Mono.from(things.insertMany(documents)).block().getInsertedIds().size());
    say("index", Mono.from(things.createIndex(Indexes.descending("third"))).block());
    var inBatches = Flux.from(things.find(Filters.eq("third", 2)).batchSize(100));
    say("read in batches", inBatches.count().block());
    say("taken", Flux.from(things.find().batchSize(10)).take(25).count().block());
    var raise = things.updateMany(Filters.lt("_id", 10), Updates.inc("third", 10));
    say("updated", Mono.from(raise).block().getModifiedCount());
    var highest =
        List.of(
            Aggregates.group("$third", Accumulators.max("highest", "$_id")),
            Aggregates.sort(Sorts.descending("_id")),
            Aggregates.limit(1));
    say("aggregated", Mono.from(things.aggregate(highest)).block().toJson());
    var duplicate =
        Mono.from(things.insertOne(new Document("_id", 1)))
            .map(inserted -> 0)
            .onErrorResume(
                MongoWriteException.class, error -> Mono.just(error.getError().getCode()))
            .block();
    say("duplicate", duplicate);
  }

  private static void file(MongoDatabase database) {
    byte[] content = new byte[FILE_BYTES];
    new Random(1).nextBytes(content);
    var bucket = GridFSBuckets.create(database);
    var id = Mono.from(bucket.uploadFromPublisher("large", Mono.just(ByteBuffer.wrap(content)))).block();
    ByteBuffer copy = ByteBuffer.allocate(FILE_BYTES);
    Flux.from(bucket.downloadToPublisher(id)).doOnNext(copy::put).blockLast();
    say("file", copy.position(), ByteBuffer.wrap(content).equals(copy.flip()) ? "same" : "different");
  }

  private static void say(Object... facts) {
    System.out.println(String.join(" ", List.of(facts).stream().map(String::valueOf).toList()));
  }
}
