package dev.orrery.language.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.BsonKey;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

class DistinctValuesTest {
  @Test
  void recordedDistinctsAnswerAsMongoDb() {
    var dataSets = RecordedCases.dataSets();
    var cases =
        RecordedCases.of("read").stream()
            .filter(test -> test.getDocument("command").containsKey("distinct"))
            .filter(test -> test.getDocument("reply").containsKey("values"))
            .toList();
    assertThat(cases).hasSizeGreaterThan(4);
    for (var test : cases) {
      var command = test.getDocument("command");
      var documents = dataSets.get(command.getString("distinct").getValue());
      assertThat(distinct(documents, command))
          .as(command.toJson())
          .isEqualTo(keys(test.getDocument("reply").getArray("values")));
    }
  }

  private static Set<BsonKey> distinct(List<BsonDocument> documents, BsonDocument command) {
    var filter = FilterParser.parse(command.getDocument("query", new BsonDocument()));
    var path = FieldPath.parse(command.getString("key").getValue());
    var keys = new LinkedHashSet<BsonKey>();
    for (var document : documents) {
      var raw = RawDocument.of(document);
      if (filter.matches(raw)) {
        DistinctValues.forEach(raw, path, value -> keys.add(BsonKey.of(value.toBsonValue())));
      }
    }
    return keys;
  }

  private static Set<BsonKey> keys(List<BsonValue> values) {
    return values.stream().map(BsonKey::of).collect(Collectors.toSet());
  }
}
