package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Geo and text indexes that are built while documents move, and live through splits: they know of
 * every document, and of none twice.
 */
class SpecialIndexesTest {
  private static final int DOCUMENTS = 1_500;
  private static final int QUERIES = 40;
  private static final List<String> WORDS = List.of("fox", "dog", "ox", "cat", "owl");

  private final AtomicBoolean isOver = new AtomicBoolean();

  @Test
  @Timeout(180)
  void theyFindEverythingAfterBuildsAndSplitsAmidWrites() throws Exception {
    try (var server = TestServer.start();
        MongoClient client = server.client("", "")) {
      MongoCollection<Document> zoo = filled(client);
      var writes = new FutureTask<>(() -> write(zoo));
      var writer = new Thread(writes);
      writer.start();
      try {
        run(client, "{createIndexes: 'zoo', indexes: [{key: {g: '2dsphere', n: 1}, name: 'g'}]}");
        run(client, "{createIndexes: 'zoo', indexes: [{key: {p: '2d'}, name: 'p'}]}");
        run(
            client,
            "{createIndexes: 'zoo', indexes: [{key: {t: 'text', n: 1}, name: 't',"
                + " default_language: 'none'}]}");
        run(client, "{splitPartition: 'zoo', partition: 0}");
        run(client, "{createIndexes: 'zoo', indexes: [{key: {n: -1, g: '2dsphere'}, name: 'ng'}]}");
      } finally {
        isOver.set(true);
      }
      assertThat(writes.get()).isPositive();
      assertThat(run(client, "{validate: 'zoo', full: true}").getBoolean("valid")).isTrue();
      assertSame(zoo);
    }
  }

  private static Document run(MongoClient client, String command) {
    return client.getDatabase("test").runCommand(Document.parse(command));
  }

  private static MongoCollection<Document> filled(MongoClient client) {
    client
        .getDatabase("admin")
        .runCommand(Document.parse("{shardCollection: 'test.zoo', key: {k: 'hashed'}}"));
    MongoCollection<Document> zoo = client.getDatabase("test").getCollection("zoo");
    var random = new Random(1);
    var documents = new ArrayList<Document>();
    for (int i = 0; i < DOCUMENTS; i++) {
      documents.add(new Document("_id", i).append("k", i).append("n", i % 3));
      documents.get(i).putAll(place(random));
    }
    zoo.insertMany(documents);
    return zoo;
  }

  /** Somewhere, as a point or a short line, and some words. */
  private static Document place(Random random) {
    double x = random.nextDouble() * 358 - 179;
    double y = random.nextDouble() * 178 - 89;
    String geometry =
        random.nextInt(4) == 0
            ? "{type: 'LineString', coordinates: [[%s, %s], [%s, %s]]}"
                .formatted(x, y, x + 1, y + random.nextDouble())
            : "{type: 'Point', coordinates: [%s, %s]}".formatted(x, y);
    return Document.parse(
        "{g: %s, p: [%s, %s], t: '%s %s'}"
            .formatted(
                geometry,
                x,
                y,
                WORDS.get(random.nextInt(WORDS.size())),
                WORDS.get(random.nextInt(WORDS.size()))));
  }

  /** Moves documents, and takes some away and brings them back; how often. */
  private int write(MongoCollection<Document> zoo) {
    var random = new Random(2);
    int count = 0;
    for (; !isOver.get(); count++) {
      int id = random.nextInt(DOCUMENTS);
      var which = Filters.and(Filters.eq("_id", id), Filters.eq("k", id));
      Document place = place(random);
      if (random.nextInt(4) == 0) {
        Document before = zoo.findOneAndDelete(which);
        before.putAll(place);
        zoo.insertOne(before);
      } else {
        zoo.updateOne(
            which,
            Updates.combine(
                place.entrySet().stream()
                    .map(field -> Updates.set(field.getKey(), field.getValue()))
                    .toList()));
      }
    }
    return count;
  }

  private static void assertSame(MongoCollection<Document> zoo) {
    var random = new Random(3);
    for (int i = 0; i < QUERIES; i++) {
      for (String filter : filters(random)) {
        Document condition = Document.parse(filter);
        assertThat(ids(zoo.find(condition).into(new ArrayList<>())))
            .as(filter)
            .isEqualTo(
                ids(zoo.find(condition).hint(new Document("$natural", 1)).into(new ArrayList<>())));
      }
    }
    List<Document> all = zoo.find().into(new ArrayList<>());
    assertThat(all).hasSize(DOCUMENTS);
    for (String word : WORDS) {
      assertThat(ids(zoo.find(Filters.text(word)).into(new ArrayList<>())))
          .isEqualTo(
              ids(
                  all.stream()
                      .filter(one -> Arrays.asList(one.getString("t").split(" ")).contains(word))
                      .toList()));
    }
    for (String path : List.of("g", "p")) {
      Document near = Document.parse("{" + path + ": {$nearSphere: [0, 0]}, n: {$gte: 0}}");
      assertThat(zoo.find(near).into(new ArrayList<>())).hasSize(DOCUMENTS);
    }
  }

  private static List<String> filters(Random random) {
    double x = random.nextDouble() * 300 - 150;
    double y = random.nextDouble() * 140 - 70;
    double size = 1 + random.nextDouble() * 20;
    return List.of(
        text("{g: {$geoWithin: {$centerSphere: [[%f, %f], %f]}}}", x, y, size / 57),
        text("{n: 1, g: {$geoWithin: {$centerSphere: [[%f, %f], %f]}}}", x, y, size / 57),
        text("{p: {$geoWithin: {$box: [[%f, %f], [%f, %f]]}}}", x, y, x + size, y + size),
        text(
            "{g: {$geoIntersects: {$geometry: {type: 'LineString', coordinates: [[%f, %f], [%f,"
                + " %f]]}}}}",
            x, y, x + size, y + size));
  }

  private static String text(String pattern, Object... numbers) {
    return String.format(Locale.ROOT, pattern, numbers);
  }

  private static List<Integer> ids(List<Document> documents) {
    return documents.stream().map(one -> one.getInteger("_id")).sorted().toList();
  }
}
