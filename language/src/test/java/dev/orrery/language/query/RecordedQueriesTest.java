package dev.orrery.language.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

/** Filter, projection and sort give the answers that MongoDB gave. */
class RecordedQueriesTest {
  private final Map<String, FindOnClasses> collections = new HashMap<>();

  RecordedQueriesTest() {
    RecordedCases.dataSets()
        .forEach((name, documents) -> collections.put(name, new FindOnClasses(documents)));
  }

  @Test
  void recordedFiltersAnswerAsMongoDb() {
    // Only "whole value _id in" may fail: its order is that of the _id index, not of the data.
    assertThat(failures("query")).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void recordedReadsAnswerAsMongoDb() {
    assertThat(failures("read")).isEmpty();
  }

  List<String> failures(String area) {
    var failures = new ArrayList<String>();
    for (var recorded : RecordedCases.of(area)) {
      var command = recorded.getDocument("command");
      if (FindOnClasses.understands(command)) {
        var expected = FindOnClasses.expected(recorded.getDocument("reply"));
        var actual = collection(command).answer(command);
        if (!isSame(expected, actual)) {
          failures.add(
              recorded.getString("name").getValue()
                  + "\n  command  "
                  + command.toJson()
                  + "\n  expected "
                  + expected.toJson()
                  + "\n  actual   "
                  + actual.toJson());
        }
      }
    }
    return failures;
  }

  private FindOnClasses collection(BsonDocument command) {
    var name = command.get(command.getFirstKey()).asString().getValue();
    return collections.computeIfAbsent(name, key -> new FindOnClasses(List.of()));
  }

  /** Compared as bytes: equal documents may differ in the order of their fields. */
  private static boolean isSame(BsonDocument expected, BsonDocument actual) {
    return RawDocument.of(expected).equals(RawDocument.of(actual));
  }
}
