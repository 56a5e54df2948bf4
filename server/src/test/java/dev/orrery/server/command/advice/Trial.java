package dev.orrery.server.command.advice;

import dev.orrery.server.advisor.Advisor;
import dev.orrery.server.advisor.AdvisorSettings;
import dev.orrery.server.advisor.Candidate;
import dev.orrery.server.advisor.KeyAdvice;
import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.workload.RecordedRequest;
import dev.orrery.server.workload.WorkloadReader;
import dev.orrery.server.workload.WorkloadRecorder;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** Records stories on servers whose clock the test turns, and advises by what was recorded. */
final class Trial {
  private final Path directory;
  private static int servers; // each in a directory of its own

  Trial(Path directory) {
    this.directory = directory;
  }

  /** Records a story on a collection that is made by {@code prepare}. */
  List<RecordedRequest> record(Story story, List<String> prepare, List<String> afterwards)
      throws IOException {
    Path own = Files.createDirectories(directory.resolve("server" + servers++));
    try (var fixture = CosmosFixture.extended(own.resolve("data"))) {
      prepare.forEach(fixture::must);
      for (int i = 0; i < story.documents().size(); i += 500) {
        int end = Math.min(story.documents().size(), i + 500);
        fixture.must(Story.insert(String.join(", ", story.documents().subList(i, end))));
      }
      afterwards.forEach(fixture::must);
      fixture.commands.nanos.set(1_000_000_000_000L);
      var recorder = new WorkloadRecorder(own, Clock.systemUTC(), fixture.commands.nanos::get);
      fixture.commands.recorder = recorder;
      recorder.start(new WorkloadRecorder.Order("story", "shop", false, 1L << 30));
      for (int i = 0; i < story.requests().size(); i++) {
        fixture.commands.nanos.set(1_000_000_000_000L + story.nanos(i));
        fixture.run(story.requests().get(i));
      }
      recorder.stop();
      return inTransactions(story, read(recorder.path("story")));
    }
  }

  private static List<RecordedRequest> read(Path file) throws IOException {
    var requests = new ArrayList<RecordedRequest>();
    try (var reader = new WorkloadReader(Files.newInputStream(file))) {
      for (RecordedRequest next = reader.next(); next != null; next = reader.next()) {
        requests.add(next);
      }
    }
    return requests;
  }

  private static List<RecordedRequest> inTransactions(Story story, List<RecordedRequest> requests) {
    if (story.perTransaction() == 0) {
      return requests;
    }
    var marked = new ArrayList<RecordedRequest>();
    for (RecordedRequest request : requests) {
      long transaction = 1 + marked.size() / story.perTransaction();
      var origin = new RecordedRequest.Origin(request.origin().micros(), 1, transaction);
      marked.add(new RecordedRequest(origin, request.target(), request.body(), request.outcome()));
    }
    return marked;
  }

  static KeyAdvice advise(Story story, List<RecordedRequest> requests, AdvisorSettings settings)
      throws IOException {
    List<RawDocument> documents =
        story.documents().stream().map(json -> RawDocument.of(BsonDocument.parse(json))).toList();
    return new Advisor(settings).advise(input(documents), input(requests));
  }

  private static <T> Advisor.Input<T> input(List<T> all) {
    return (Predicate<T> to) -> {
      for (T one : all) {
        if (!to.test(one)) {
          return;
        }
      }
    };
  }

  /** The command that makes a collection with that key. */
  static String shard(Candidate candidate, int partitions) {
    BsonDocument command = BsonDocument.parse("{shardCollection: 'shop.c', $db: 'admin'}");
    command.putAll(candidate.toBson());
    return command.append("numInitialChunks", new BsonInt32(partitions)).toJson();
  }

  static String throughput(long unitsPerSecond) {
    return "{customAction: 'UpdateCollection', collection: 'c', offerThroughput: "
        + unitsPerSecond
        + "}";
  }

  static double units(List<RecordedRequest> requests) {
    return requests.stream().mapToLong(each -> each.outcome().twentyFirsts()).sum() / 21.0;
  }

  static double refused(List<RecordedRequest> requests) {
    return requests.stream().filter(each -> each.outcome().refusals() > 0).count()
        / (double) requests.size();
  }
}
