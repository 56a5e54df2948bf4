package dev.orrery.compat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** Replays answers recorded from MongoDB 7.0.15 and tells which ones this server gives too. */
final class OracleReplay {
  static final List<String> AREAS =
      List.of(
          "admin",
          "agg-group",
          "agg-join",
          "agg-stage",
          "agg-window",
          "corners",
          "expr-arith",
          "expr-array",
          "expr-convert",
          "expr-date",
          "expr-string",
          "geo",
          "index",
          "query",
          "read",
          "stream",
          "text",
          "txn",
          "update",
          "write");

  private final WireClient client;

  OracleReplay(WireClient client) {
    this.client = client;
  }

  /** What became of one case. */
  enum Verdict {
    SAME,
    OTHER_MESSAGE,
    DIFFERENT
  }

  /** A case with what was expected and what came, for whoever wants to know why. */
  record Outcome(String name, Verdict verdict, String expected, String actual) {}

  static List<Map<String, Object>> cases(String area) {
    var lines = new ArrayList<Map<String, Object>>();
    var stream = OracleReplay.class.getResourceAsStream("/oracle/" + area + ".jsonl");
    try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.isEmpty()) {
          lines.add(OracleNormaliser.asMap(Json.parse(line)));
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return lines;
  }

  /** Loads the data sets that many cases share. */
  void loadData() throws IOException {
    for (Map<String, Object> set : cases("_data")) {
      var insert = new BsonDocument("insert", new BsonString((String) set.get("set")));
      insert.append("documents", ExtendedJson.value(set.get("docs")));
      insert.append("$db", new BsonString("orc_shared"));
      BsonDocument reply = client.command(insert);
      if (reply.containsKey("writeErrors") || reply.getNumber("ok").intValue() != 1) {
        throw new IllegalStateException("the shared data were refused: " + reply.toJson());
      }
    }
  }

  List<Outcome> run(String area) throws IOException {
    var outcomes = new ArrayList<Outcome>();
    for (Map<String, Object> one : cases(area)) {
      outcomes.add(run(one));
    }
    return outcomes;
  }

  private Outcome run(Map<String, Object> one) throws IOException {
    Map<String, Object> flags =
        one.get("flags") == null ? Map.of() : OracleNormaliser.asMap(one.get("flags"));
    var normaliser = new OracleNormaliser(flags);
    var references = new OracleReferences();
    for (Object setup : list(one.get("setup"))) {
      send(setup, references);
    }
    references.clear();
    Object command = one.get("command");
    Object reply;
    if (command instanceof List<?> several) {
      var replies = new ArrayList<>();
      for (Object each : several) {
        replies.add(normaliser.reply(send(each, references)));
      }
      reply = replies;
    } else {
      reply = normaliser.reply(send(command, references));
    }
    Object after = one.get("look") == null ? null : look(list(one.get("look")), normaliser);
    cleanUp(flags);
    return judge(one, reply, after, normaliser);
  }

  private static Outcome judge(
      Map<String, Object> one, Object reply, Object after, OracleNormaliser normaliser) {
    var recorded = new ArrayList<Map<String, Object>>();
    recorded.add(one);
    list(one.get("alt")).forEach(other -> recorded.add(OracleNormaliser.asMap(other)));
    var verdict = Verdict.DIFFERENT;
    String actual = OracleNormaliser.comparable(reply, true) + Json.text(after);
    String nearly = OracleNormaliser.comparable(reply, false) + Json.text(after);
    for (Map<String, Object> expected : recorded) {
      Object recordedReply = normaliser.recorded(expected.get("reply"));
      String rest = Json.text(after(expected, normaliser));
      if (actual.equals(OracleNormaliser.comparable(recordedReply, true) + rest)) {
        verdict = Verdict.SAME;
      } else if (verdict == Verdict.DIFFERENT
          && nearly.equals(OracleNormaliser.comparable(recordedReply, false) + rest)) {
        verdict = Verdict.OTHER_MESSAGE;
      }
    }
    String expected =
        OracleNormaliser.comparable(one.get("reply"), true) + Json.text(one.get("after"));
    return new Outcome((String) one.get("name"), verdict, expected, actual);
  }

  /** The recorded documents of the collections afterwards, in the form of our own. */
  private static Object after(Map<String, Object> recorded, OracleNormaliser normaliser) {
    if (recorded.get("after") == null) {
      return null;
    }
    var after = new LinkedHashMap<String, Object>();
    OracleNormaliser.asMap(recorded.get("after"))
        .forEach((collection, documents) -> after.put(collection, normaliser.after(documents)));
    return after;
  }

  private Object look(List<?> collections, OracleNormaliser normaliser) throws IOException {
    var after = new LinkedHashMap<String, Object>();
    for (Object collection : collections) {
      BsonDocument reply =
          client.command(
              new BsonDocument("find", new BsonString((String) collection))
                  .append("sort", new BsonDocument("_id", new BsonInt32(1)))
                  .append("batchSize", new BsonInt32(1000))
                  .append("$db", new BsonString("orc_X")));
      after.put(
          (String) collection,
          normaliser.after(ExtendedJson.tree(reply.getDocument("cursor").getArray("firstBatch"))));
    }
    return after;
  }

  private Map<String, Object> send(Object command, OracleReferences references) throws IOException {
    BsonDocument reply = client.command(references.fill(ExtendedJson.value(command)).asDocument());
    references.add(reply);
    return ExtendedJson.tree(reply);
  }

  private void cleanUp(Map<String, Object> flags) throws IOException {
    if (flags.get("shared") != null) {
      return;
    }
    for (Object database : list(flags.get("dbs"))) {
      dropDatabase((String) database);
    }
    if (flags.get("wholeDb") != null) {
      dropDatabase("orc_X");
      return;
    }
    List<?> dropped = flags.get("drop") == null ? List.of("c") : list(flags.get("drop"));
    for (Object collection : dropped) {
      client.command(
          new BsonDocument("drop", new BsonString((String) collection))
              .append("$db", new BsonString("orc_X")));
    }
  }

  private void dropDatabase(String database) throws IOException {
    client.command(
        new BsonDocument("dropDatabase", new BsonInt32(1)).append("$db", new BsonString(database)));
  }

  static List<?> list(Object value) {
    return value == null ? List.of() : (List<?>) value;
  }
}
