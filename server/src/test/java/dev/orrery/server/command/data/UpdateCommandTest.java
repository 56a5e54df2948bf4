package dev.orrery.server.command.data;

import static dev.orrery.server.command.CommandFixture.canonical;
import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.DataFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UpdateCommandTest {
  private static final String RETRYABLE =
      ", lsid: {id: UUID('00112233-4455-6677-8899-aabbccddeeff')}, txnNumber: {$numberLong: '%d'}";

  private DataFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    data = new DataFixture(directory);
  }

  @AfterEach
  void close() {
    data.close();
  }

  @Test
  void countsWhatMatchedAndWhatChanged() {
    data.run("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}, {_id: 3, a: 2}]}");
    assertThat(data.answer("{update: 'c', updates: [{q: {}, u: {$set: {a: 2}}, multi: true}]}"))
        .isEqualTo(canonical("{n: 3, nModified: 1, ok: 1.0}"));
    assertThat(data.answer("{update: 'c', updates: [{q: {a: 2}, u: {$inc: {a: 1}}}]}"))
        .isEqualTo(canonical("{n: 1, nModified: 1, ok: 1.0}"));
    assertThat(data.documents("c"))
        .isEqualTo("[{\"_id\": 1, \"a\": 3}, {\"_id\": 2, \"a\": 2}, {\"_id\": 3, \"a\": 2}]");
  }

  @Test
  void upsertTellsTheNewId() {
    assertThat(
            data.answer(
                "{update: 'c', updates: [{q: {_id: 7, b: 2}, u: {$set: {a: 1}}, upsert: true}]}"))
        .isEqualTo(canonical("{n: 1, upserted: [{index: 0, _id: 7}], nModified: 0, ok: 1.0}"));
    assertThat(data.documents("c")).isEqualTo("[{\"_id\": 7, \"b\": 2, \"a\": 1}]");
  }

  @Test
  void multiUpdateMeetsNoDocumentTwice() {
    data.create("c", "{}", null, "{v: 2, key: {a: 1}, name: 'a_1'}");
    String documents =
        IntStream.range(0, 1000)
            .mapToObj(i -> "{_id: " + i + ", a: " + i + "}")
            .collect(Collectors.joining(","));
    data.run("{insert: 'c', documents: [" + documents + "]}");
    assertThat(
            data.answer(
                "{update: 'c', updates: [{q: {a: {$gte: 0}}, u: {$inc: {a: 10}}, multi: true}]}"))
        .isEqualTo(canonical("{n: 1000, nModified: 1000, ok: 1.0}"));
    assertThat(data.answer("{count: 'c', query: {$expr: {$eq: ['$a', {$add: ['$_id', 10]}]}}}"))
        .isEqualTo(canonical("{n: 1000, ok: 1.0}"));
  }

  @Test
  void parallelIncrementsLoseNothing() throws Exception {
    data.run("{insert: 'c', documents: [{_id: 1, n: 0}]}");
    int threads = 8;
    int times = 50;
    var pool = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Void>> work = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        boolean isFindAndModify = i % 2 == 0;
        work.add(
            () -> {
              for (int j = 0; j < times; j++) {
                data.run(
                    isFindAndModify
                        ? "{findAndModify: 'c', query: {_id: 1}, update: {$inc: {n: 1}}}"
                        : "{update: 'c', updates: [{q: {_id: 1}, u: {$inc: {n: 1}}}]}");
              }
              return null;
            });
      }
      for (var done : pool.invokeAll(work)) {
        done.get();
      }
    } finally {
      pool.shutdown();
    }
    assertThat(data.documents("c")).isEqualTo("[{\"_id\": 1, \"n\": 400}]");
  }

  @Test
  void parallelUpsertsOfOneIdMakeOneDocument() throws Exception {
    var pool = Executors.newFixedThreadPool(8);
    try {
      Callable<BsonDocument> upsert =
          () ->
              data.run("{update: 'c', updates: [{q: {_id: 1}, u: {$inc: {n: 1}}, upsert: true}]}");
      for (var done : pool.invokeAll(java.util.Collections.nCopies(16, upsert))) {
        assertThat(done.get().containsKey("writeErrors")).isFalse();
      }
    } finally {
      pool.shutdown();
    }
    assertThat(data.documents("c")).isEqualTo("[{\"_id\": 1, \"n\": 16}]");
  }

  @Test
  void aRepeatedWriteIsAnsweredAgainAndDoneOnce() {
    String increment =
        "{update: 'c', updates: [{q: {_id: 1}, u: {$inc: {n: 1}}, upsert: true}]"
            + RETRYABLE.formatted(5)
            + "}";
    BsonDocument first = data.run(increment);
    BsonDocument second = data.run(increment);
    assertThat(second.get("upserted")).isEqualTo(first.get("upserted"));
    assertThat(data.documents("c")).isEqualTo("[{\"_id\": 1, \"n\": 1}]");
    assertThat(data.error("{insert: 'c', documents: [{_id: 9}]" + RETRYABLE.formatted(4) + "}"))
        .startsWith("225 TransactionTooOld: Retryable write with txnNumber 4 is prohibited");
  }

  @Test
  void aDocumentMovesToAnotherPartitionKeyOnlyAsMongoDbAllows() {
    data.create("c", "{}", "k");
    data.run("{insert: 'c', documents: [{_id: 1, k: 'a'}]}");
    String byId = "{update: 'c', updates: [{q: {_id: 1}, u: {$set: {k: 'b'}}}]";
    String byKey = "{update: 'c', updates: [{q: {_id: 1, k: 'a'}, u: {$set: {k: 'b'}}}]";
    String all = "{update: 'c', updates: [{q: {}, u: {$set: {k: 'b'}}, multi: true}]";
    assertThat(data.run(byId + RETRYABLE.formatted(1) + "}").toJson()).contains("31025");
    assertThat(data.run(byKey + "}").toJson()).contains("Must run update to shard key field");
    assertThat(data.run(all + "}").toJson())
        .contains("Multi-update operations are not allowed when updating the shard key field.");
    assertThat(data.run(byKey + RETRYABLE.formatted(3) + "}").getInt32("nModified").getValue())
        .isEqualTo(1);
    assertThat(data.documents("c")).isEqualTo("[{\"_id\": 1, \"k\": \"b\"}]");
  }

  @Test
  void findAndModifyGivesTheDocumentBeforeOrAfter() {
    data.run("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 5}]}");
    assertThat(
            data.answer(
                "{findAndModify: 'c', query: {}, sort: {a: -1}, update: {$inc: {a: 1}},"
                    + " new: true, fields: {a: 1, _id: 0}}"))
        .isEqualTo(
            canonical("{lastErrorObject: {n: 1, updatedExisting: true}, value: {a: 6}, ok: 1.0}"));
    assertThat(data.answer("{findAndModify: 'c', query: {_id: 1}, remove: true}"))
        .isEqualTo(canonical("{lastErrorObject: {n: 1}, value: {_id: 1, a: 1}, ok: 1.0}"));
    assertThat(data.answer("{findAndModify: 'c', query: {_id: 1}, remove: true}"))
        .isEqualTo(canonical("{lastErrorObject: {n: 0}, value: null, ok: 1.0}"));
  }

  @Test
  void deletesOneOrAll() {
    data.run("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 1}, {_id: 3, a: 2}]}");
    assertThat(data.answer("{delete: 'c', deletes: [{q: {a: 1}, limit: 1}]}"))
        .isEqualTo(canonical("{n: 1, ok: 1.0}"));
    assertThat(data.answer("{delete: 'c', deletes: [{q: {}, limit: 0}]}"))
        .isEqualTo(canonical("{n: 2, ok: 1.0}"));
    assertThat(data.documents("c")).isEqualTo("[]");
  }
}
