package dev.orrery.language.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.limit.HeapSpills;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pipelines are rewritten, and still give what they gave. */
class OptimizerTest {
  private static final Namespace LOCAL = new Namespace("shop", "local");
  private static final Namespace FOREIGN = new Namespace("shop", "foreign");

  private final HeapSpills temporary = new HeapSpills();

  private final MemoryCollections collections = new MemoryCollections();

  OptimizerTest() {
    put(
        LOCAL,
        "{_id: 1, k: 1}",
        "{_id: 2, k: null}",
        "{_id: 3}",
        "{_id: 4, k: [1, 2]}",
        "{_id: 5, k: []}",
        "{_id: 6, k: {a: 1}}",
        "{_id: 7, k: [[1, 2]]}",
        "{_id: 8, k: 'x'}",
        "{_id: 9, k: /x/}",
        "{_id: 10, k: [{v: 1}, {v: 2}, 3]}",
        "{_id: 11, k: 1.0}",
        "{_id: 12, k: [null, 1]}");
    put(
        FOREIGN,
        "{_id: 1, f: 1, g: {v: 1}, n: 1}",
        "{_id: 2, f: null, n: 2}",
        "{_id: 3, n: 3}",
        "{_id: 4, f: [1, 2], g: [{v: 1}, {v: 2}], n: 4}",
        "{_id: 5, f: [], n: 5}",
        "{_id: 6, f: {a: 1}, g: [1, {v: null}], n: 6}",
        "{_id: 7, f: [[1, 2]], g: {v: [1, [2]]}, n: 7}",
        "{_id: 8, f: 'x', n: 8}",
        "{_id: 9, f: /x/, n: 9}",
        "{_id: 10, f: [null], g: [[{v: 1}]], n: 10}",
        "{_id: 11, f: {$numberDecimal: '1'}, n: 11}");
  }

  private void put(Namespace namespace, String... documents) {
    var parsed = new ArrayList<BsonDocument>();
    for (String document : documents) {
      parsed.add(BsonDocument.parse(document));
    }
    collections.put(namespace, parsed);
  }

  private Pipeline parse(String stages) {
    return collections.parse(LOCAL, Pipeline.documents(BsonArray.parse(stages)));
  }

  private List<BsonDocument> run(String stages, long bytesMax) {
    return collections.run(LOCAL, stages, new PipelineRun.Spill(temporary, true, bytesMax));
  }

  private List<String> rewritten(String stages) {
    var run = new PipelineRun(collections, new PipelineRun.Spill(temporary, true));
    return parse(stages).explained(run).stages().stream().map(BsonDocument::toJson).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"f", "g.v", "g.0.v", "f.0", "none", "f.a", "g"})
  void aHashTableFindsWhatQueriesFind(String field) {
    for (String local : List.of("k", "k.v", "k.a", "none")) {
      String stages =
          "[{$lookup: {from: 'foreign', localField: '%s', foreignField: '%s', as: 'r'}},"
              + " {$project: {found: '$r._id'}}]";
      String lookup = stages.formatted(local, field);
      // A table that fits into no memory at all is not used.
      assertThat(run(lookup, 1 << 20)).as(lookup).isEqualTo(run(lookup, 2_200));
    }
  }

  @Test
  void aHashTableServesThePipelineBehindTheEquality() {
    String lookup =
        "[{$lookup: {from: 'foreign', localField: 'k', foreignField: 'f', pipeline: [{$match: {n:"
            + " {$gt: 3}}}, {$project: {n: 1, _id: 0}}], as: 'r'}}]";
    assertThat(run(lookup, 1 << 20)).isEqualTo(run(lookup, 2_200));
    assertThat(run(lookup, 1 << 20).get(0))
        .isEqualTo(BsonDocument.parse("{_id: 1, k: 1, r: [{n: 4}, {n: 11}]}"));
  }

  @Test
  void unwindOfWhatWasLookedUpIsDoneByTheLookup() {
    String stages =
        "[{$lookup: {from: 'foreign', localField: 'k', foreignField: 'f', as: 'r'}}, {$unwind:"
            + " '$r'}, {$match: {'r.n': {$gt: 3}, k: 1}}, {$project: {n: '$r.n'}}]";
    assertThat(rewritten(stages))
        .containsExactly(
            "{\"$lookup\": {\"from\": \"foreign\", \"localField\": \"k\", \"foreignField\": \"f\","
                + " \"as\": \"r\", \"unwinding\": {\"preserveNullAndEmptyArrays\": false},"
                + " \"matching\": {\"n\": {\"$gt\": 3}}}}",
            "{\"$project\": {\"n\": \"$r.n\"}}");
    assertThat(run(stages, 1 << 20))
        .extracting(BsonDocument::toJson)
        .containsExactly(
            "{\"_id\": 1, \"n\": 4}",
            "{\"_id\": 1, \"n\": 11}",
            "{\"_id\": 4, \"n\": 4}",
            "{\"_id\": 4, \"n\": 11}",
            "{\"_id\": 11, \"n\": 4}",
            "{\"_id\": 11, \"n\": 11}",
            "{\"_id\": 12, \"n\": 4}",
            "{\"_id\": 12, \"n\": 10}",
            "{\"_id\": 12, \"n\": 11}");
  }

  @Test
  void unwindsThatKeepDocumentsOrCountDoSoInTheLookup() {
    String lookup = "{$lookup: {from: 'foreign', localField: '_id', foreignField: 'f', as: 'r'}}";
    String unwind =
        "{$unwind: {path: '$r', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i'}}";
    String project = "{$project: {r: '$r._id', i: 1}}";
    String match = "{$match: {_id: {$lt: 3}}}";
    String apart = "{$addFields: {r: {$map: {input: '$r', in: '$$this'}}}}";
    assertThat(run("[" + String.join(",", match, lookup, unwind, project) + "]", 1 << 20))
        .isEqualTo(
            run("[" + String.join(",", match, lookup, apart, unwind, project) + "]", 1 << 20))
        .hasSize(4);
    assertThat(rewritten("[" + lookup + "," + unwind + ", {$match: {'r.n': 1}}]")).hasSize(2);
  }

  @Test
  void fieldsThatDoNotDependOnEachOtherAreSetAtOnce() {
    assertThat(rewritten("[{$addFields: {a: '$k'}}, {$set: {b: '$k'}}]"))
        .containsExactly("{\"$addFields\": {\"a\": \"$k\", \"b\": \"$k\"}}");
    assertThat(rewritten("[{$project: {k: 1, a: '$x'}}, {$set: {b: '$k'}}]"))
        .containsExactly("{\"$project\": {\"k\": 1, \"a\": \"$x\", \"b\": \"$k\"}}");
    for (String stages :
        List.of(
            "[{$addFields: {a: '$k'}}, {$set: {b: '$a'}}]",
            "[{$addFields: {a: '$k'}}, {$set: {a: 1}}]",
            "[{$addFields: {'a.b': '$k'}}, {$set: {'a.c': 1}}]",
            "[{$project: {a: 1}}, {$set: {b: '$k'}}]",
            "[{$unset: 'a'}, {$set: {b: '$a'}}]",
            "[{$addFields: {a: 1}}, {$set: {b: '$$ROOT'}}]")) {
      assertThat(rewritten(stages)).as(stages).hasSize(2);
    }
  }

  @Test
  void limitsAndSkipsJoin() {
    assertThat(rewritten("[{$group: {_id: 1}}, {$limit: 5}, {$limit: 3}, {$skip: 1}, {$skip: 2}]"))
        .containsExactly("{\"$group\": {\"_id\": 1}}", "{\"$limit\": 3}", "{\"$skip\": 3}");
  }
}
