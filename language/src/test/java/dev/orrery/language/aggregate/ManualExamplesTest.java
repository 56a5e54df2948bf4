package dev.orrery.language.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.limit.HeapSpills;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What the manual shows of $group, $lookup, $setWindowFields, $bucketAuto, $graphLookup, $facet and
 * $dateTrunc, with other data. The first collection is the one that the pipeline runs on.
 */
class ManualExamplesTest {
  private final HeapSpills temporary = new HeapSpills();

  @TestFactory
  Stream<DynamicTest> pipelinesGiveTheDocumentedResults() throws IOException {
    try (var in = ManualExamplesTest.class.getResourceAsStream("/cases/aggregate/manual.json")) {
      var text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return BsonArray.parse(text).stream()
          .map(BsonValue::asDocument)
          .map(one -> DynamicTest.dynamicTest(one.getString("name").getValue(), () -> run(one)));
    }
  }

  private void run(BsonDocument one) {
    var collections = new MemoryCollections();
    BsonDocument data = one.getDocument("collections");
    data.forEach(
        (name, documents) ->
            collections.put(
                new Namespace("db", name),
                documents.asArray().stream().map(BsonValue::asDocument).toList()));
    List<BsonDocument> results =
        collections.run(
            new Namespace("db", data.getFirstKey()),
            Pipeline.documents(one.getArray("pipeline")),
            new PipelineRun.Spill(temporary, true));
    assertThat(new BsonArray(results)).isEqualTo(one.getArray("results"));
  }
}
