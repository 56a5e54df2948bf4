package dev.orrery.language.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.limit.HeapSpills;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every recorded pipeline, run on collections in memory, gives MongoDB's documents or error. */
class RecordedPipelinesTest {
  private static final int SAME_PERCENT_MIN = 97;
  private static final String SHARED = "orc_shared";

  private final HeapSpills temporary = new HeapSpills();

  private final List<BsonDocument> data = RecordedPipelines.lines("_data");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "agg-group",
        "agg-join",
        "agg-stage",
        "agg-window",
        "expr-arith",
        "expr-array",
        "expr-convert",
        "expr-date",
        "expr-string"
      })
  void pipelinesAnswerAsRecorded(String area) {
    var different = new ArrayList<String>();
    int count = 0;
    for (BsonDocument recorded : RecordedPipelines.lines(area)) {
      if (!isForPipelines(recorded)) {
        continue;
      }
      count++;
      BsonDocument actual = answer(recorded);
      BsonDocument expected = expected(recorded);
      if (!actual.equals(expected)) {
        different.add(
            recorded.getString("name").getValue()
                + "\n  expected "
                + expected.toJson()
                + "\n  but was  "
                + actual.toJson());
      }
    }
    assertThat(100 * (count - different.size()))
        .as("%d of %d differ:\n%s", different.size(), count, String.join("\n", different))
        .isGreaterThanOrEqualTo(SAME_PERCENT_MIN * count);
  }

  /** Not those about the command itself, or that need indexes, validators or views. */
  private static boolean isForPipelines(BsonDocument recorded) {
    String name = recorded.getString("name").getValue();
    if (name.contains("/command ") || !recorded.get("command").isDocument()) {
      return false;
    }
    for (BsonValue setup : recorded.getArray("setup", new BsonArray())) {
      if (!setup.asDocument().getFirstKey().equals("insert")) {
        return false;
      }
    }
    return !recorded.toJson().contains("\"*\"") && recorded.getDocument("command").size() == 4;
  }

  private BsonDocument answer(BsonDocument recorded) {
    BsonDocument command = recorded.getDocument("command");
    String database = command.getString("$db").getValue();
    var collections = new MemoryCollections();
    for (BsonDocument set : data) {
      collections.put(
          new Namespace(SHARED, set.getString("set").getValue()), documents(set.getArray("docs")));
    }
    for (BsonValue setup : recorded.getArray("setup", new BsonArray())) {
      BsonDocument insert = setup.asDocument();
      collections.put(
          new Namespace(database, insert.getString("insert").getValue()),
          documents(insert.getArray("documents")));
    }
    BsonDocument flags = recorded.getDocument("flags", new BsonDocument());
    try {
      BsonArray results = run(command, database, collections);
      var answer = new BsonDocument("documents", RecordedPipelines.normal(results, flags));
      for (String name : recorded.getDocument("after", new BsonDocument()).keySet()) {
        var after = new ArrayList<>(collections.documents(new Namespace(database, name)));
        after.sort(
            (left, right) ->
                dev.orrery.value.BsonOrder.CANONICAL.compare(left.get("_id"), right.get("_id")));
        answer.append(name, new BsonArray(after));
      }
      return answer;
    } catch (CommandException e) {
      return error(e.code().number(), e.getMessage());
    }
  }

  private BsonArray run(BsonDocument command, String database, MemoryCollections collections) {
    BsonValue name = command.get("aggregate");
    String collection = name.isString() ? name.asString().getValue() : "$cmd.aggregate";
    return new BsonArray(
        collections.run(
            new Namespace(database, collection),
            Pipeline.documents(command.getArray("pipeline")),
            new PipelineRun.Spill(temporary, true)));
  }

  private static List<BsonDocument> documents(BsonArray array) {
    return array.stream().map(BsonValue::asDocument).toList();
  }

  private static BsonDocument expected(BsonDocument recorded) {
    BsonDocument reply = recorded.getDocument("reply");
    if (reply.containsKey("errmsg")) {
      return error(reply.getInt32("code").getValue(), reply.getString("errmsg").getValue());
    }
    BsonArray documents = reply.getDocument("cursor").getArray("firstBatch");
    var expected = new BsonDocument("documents", documents);
    recorded.getDocument("after", new BsonDocument()).forEach(expected::append);
    return expected;
  }

  private static BsonDocument error(int code, String message) {
    return new BsonDocument("code", new BsonInt32(code)).append("errmsg", new BsonString(message));
  }
}
