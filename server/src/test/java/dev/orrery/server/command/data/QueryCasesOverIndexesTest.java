package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.query.TypedCases;
import dev.orrery.server.command.DataFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The case files of filters once more, by find: whatever index is used, the answer is the same. */
class QueryCasesOverIndexesTest {
  private static final JsonWriterSettings EXACT =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

  /** Key patterns over the paths that the cases ask for; each is used for every case. */
  private static final List<String> KEYS =
      List.of("{_id: 1}", "{v: 1}", "{v: -1}", "{'a.b': 1}", "{a: 1}", "{'v.0': 1}", "{'$**': 1}");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "array",
        "bitwise",
        "collation",
        "comparison",
        "element",
        "evaluation",
        "logical",
        "paths",
        "schema"
      })
  void everyIndexGivesTheSame(String file, @TempDir Path directory) {
    var different = new ArrayList<String>();
    try (var data = new DataFixture(directory)) {
      for (BsonValue test : TypedCases.load("query/" + file).getArray("cases")) {
        if (test.asDocument().getDocument("expect").containsKey("ids")) {
          check(data, test.asDocument(), different);
        }
      }
    }
    assertThat(different).isEmpty();
  }

  private static void check(DataFixture data, BsonDocument test, List<String> different) {
    String name = test.getString("name").getValue();
    var insert = command("insert", name).append("documents", test.getArray("documents"));
    BsonDocument inserted = run(data, insert);
    if (inserted.containsKey("writeErrors")) {
      different.add(name + " not inserted: " + inserted);
      return;
    }
    for (String key : KEYS) {
      index(data, name, key);
      BsonDocument found = run(data, find(test, name));
      if (!ids(found).equals(test.getDocument("expect").get("ids"))) {
        different.add(name + " with " + key + " gives " + found);
      }
    }
  }

  private static BsonDocument find(BsonDocument test, String name) {
    BsonDocument find = command("find", name);
    test.getDocument("find").forEach(find::append);
    if (!find.containsKey("sort")) {
      find.append("sort", new BsonDocument("_id", new BsonInt32(1)));
    }
    return find;
  }

  private static void index(DataFixture data, String name, String key) {
    run(data, command("dropIndexes", name).append("index", new BsonString("*")));
    var index =
        new BsonDocument("key", BsonDocument.parse(key)).append("name", new BsonString("i"));
    if (!key.equals("{_id: 1}")) {
      var created =
          run(
              data,
              command("createIndexes", name).append("indexes", new BsonArray(List.of(index))));
      assertThat(TypedCases.errorOf(created)).as(name + key).isNull();
    }
  }

  private static BsonDocument command(String command, String collection) {
    return new BsonDocument(command, new BsonString(collection));
  }

  private static BsonDocument run(DataFixture data, BsonDocument command) {
    return data.run(command.append("$db", new BsonString("test")).toJson(EXACT));
  }

  private static BsonValue ids(BsonDocument reply) {
    if (!reply.containsKey("cursor")) {
      return reply;
    }
    return new BsonArray(
        reply.getDocument("cursor").getArray("firstBatch").stream()
            .map(document -> document.asDocument().get("_id"))
            .toList());
  }
}
