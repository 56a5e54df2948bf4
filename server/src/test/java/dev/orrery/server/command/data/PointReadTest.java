package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.DataFixture;
import dev.orrery.server.command.Envelope;
import dev.orrery.server.command.NameCache;
import dev.orrery.server.command.Request;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.store.TestEngines;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PointReadTest {
  /** Changes nothing, and is not part of a point read: so the find goes the general way. */
  private static final String GENERAL = "allowPartialResults";

  private static final String COST = " for ";

  private static final String VALUES =
      """
      [1, 2, {$numberLong: '1'}, {$numberDouble: '1.0'}, {$numberDecimal: '1.0'},
       {$numberDouble: '1.5'}, {$numberDecimal: '1.5'}, {$numberDouble: 'NaN'},
       {$numberDecimal: 'NaN'}, 0, {$numberDouble: '-0.0'}, {$numberLong: '9007199254740993'},
       {$numberDouble: '9007199254740992'}, {$numberDouble: 'Infinity'}, '', 'a', 'a\\u0000b',
       {$symbol: 'a'}, {$oid: '0123456789abcdef01234567'}, true, false, null,
       {$date: {$numberLong: '1'}}, {$timestamp: {t: 0, i: 1}}, {$undefined: true},
       {$binary: {base64: 'AQ==', subType: '00'}}, {$binary: {base64: 'AQ==', subType: '05'}},
       {}, {x: 1}, {x: 1, y: [1]}, {$minKey: 1}, {$maxKey: 1}, {$code: 'a'}]
      """;

  private static final String ONLY_IN_FILTERS =
      """
      [[1], [], {$regularExpression: {pattern: 'a', options: ''}}, {$gt: 0}, {$in: [1, 'a']},
       {$eq: 1}, {$exists: true}, {$ref: 'c', $id: 1}, {$bad: 1}]
      """;

  private static final JsonWriterSettings TYPED =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

  private final Random random = new Random(20260304);
  private final List<BsonValue> values = parse(VALUES);
  private final List<BsonValue> operands = parse(VALUES);
  private DataFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    operands.addAll(parse(ONLY_IN_FILTERS));
    operands.add(new BsonString("long".repeat(1000)));
    data = new DataFixture(directory);
  }

  @AfterEach
  void close() {
    data.close();
  }

  private static List<BsonValue> parse(String array) {
    return new ArrayList<>(BsonDocument.parse("{a: " + array + "}").getArray("a"));
  }

  private PointRead find(String json) {
    return find(RawDocument.of(BsonDocument.parse(json)));
  }

  private PointRead find(RawDocument body) {
    var request = Request.message(data.commands.connection, body, List.of());
    var spec = Command.Spec.of("find", Command.Access.READ);
    CommandReader reader =
        CommandReader.ofRequest(request, new NameCache()).asCommand(spec, request);
    Envelope.read(reader, spec);
    return PointRead.find(reader, new Databases(data.engine));
  }

  @Test
  void findsByPrimaryKeyAreRecognised() {
    data.create("c", "{}", null);
    data.create("p", "{}", "city");
    String rest = ", limit: 1, singleBatch: true, $db: 'test', lsid: {id: UUID('%s')}}";
    rest = rest.formatted("00112233-4455-6677-8899-aabbccddeeff");
    assertThat(find("{find: 'c', filter: {_id: 'a'}" + rest)).isNotNull();
    assertThat(find("{find: 'c', filter: {_id: 1}, $db: 'test'}")).isNotNull();
    assertThat(find("{find: 'p', filter: {city: 'x', _id: 1}" + rest)).isNotNull();
    assertThat(find("{find: 'p', filter: {_id: 1, city: 'x'}" + rest)).isNotNull();
  }

  @Test
  void whatIsNotQuiteSuchAFindIsLeftAlone() {
    data.create("c", "{}", null);
    data.create("p", "{}", "city");
    data.create("french", "{collation: {locale: 'fr'}}", null);
    for (String command :
        List.of(
            "{find: 'c', $db: 'test'}",
            "{find: 'c', filter: {}, $db: 'test'}",
            "{find: 'c', filter: {a: 1}, $db: 'test'}",
            "{find: 'c', filter: {_id: 1, a: 1}, $db: 'test'}",
            "{find: 'c', filter: {_id: null}, $db: 'test'}",
            "{find: 'c', filter: {_id: {$gt: 1}}, $db: 'test'}",
            "{find: 'c', filter: {_id: 1}, projection: {a: 1}, $db: 'test'}",
            "{find: 'c', filter: {_id: 1}, batchSize: 0, $db: 'test'}",
            "{find: 'c', filter: {_id: 1}, limit: -1, $db: 'test'}",
            "{find: 'c', filter: {_id: 1}, unknown: 1, $db: 'test'}",
            "{find: 'missing', filter: {_id: 1}, $db: 'test'}",
            "{find: 'french', filter: {_id: 'a'}, $db: 'test'}",
            "{find: 'p', filter: {_id: 1}, $db: 'test'}",
            "{find: 1, filter: {_id: 1}, $db: 'test'}")) {
      assertThat(find(command)).as(command).isNull();
    }
    assertThat(find(twice("limit"))).isNull();
  }

  private static RawDocument twice(String field) {
    var body = new BsonEncoder(64);
    int start = body.startDocument();
    body.writeElement("find", new BsonString("c"));
    body.writeElement("filter", BsonDocument.parse("{_id: 1}"));
    body.writeElement(field, new BsonInt32(1));
    body.writeElement(field, new BsonInt32(1));
    body.writeElement("$db", new BsonString("test"));
    body.endDocument(start);
    return RawDocument.wrap(body.toByteArray());
  }

  @Test
  void answersAndCostsAreThoseOfTheGeneralWay() {
    data.create("plain", "{}", null);
    data.create("byCity", "{}", "city");
    data.create("byId", "{}", "_id");
    data.create("nested", "{}", "a.b");
    for (String collection : List.of("plain", "byCity", "byId", "nested")) {
      for (BsonValue id : values) {
        insert(collection, id);
      }
      for (int i = 0; i < 300; i++) {
        compare(command(collection));
      }
    }
  }

  private void insert(String collection, BsonValue id) {
    BsonValue key = anyOf(values);
    var document =
        new BsonDocument("_id", id)
            .append("city", key)
            .append("a", new BsonDocument("b", key))
            .append("text", new BsonString("x".repeat(random.nextInt(3000))));
    data.run("{insert: '%s', documents: [%s]}".formatted(collection, document.toJson(TYPED)));
  }

  private BsonDocument command(String collection) {
    var filter = new BsonDocument();
    String[] paths = {"_id", "city", "a.b", "a"};
    for (int i = random.nextInt(3); i >= 0; i--) {
      int path = random.nextInt(20);
      filter.append(path < 10 ? "_id" : paths[path % 4], anyOf(operands));
    }
    var command = new BsonDocument("find", new BsonString(collection)).append("filter", filter);
    if (random.nextBoolean()) {
      command.append("limit", anyOf(parse("[0, 1, 2, -1, 'x', {$numberLong: '1'}, null]")));
    }
    if (random.nextBoolean()) {
      command.append("singleBatch", anyOf(parse("[true, false, 1, 'x', null]")));
    }
    if (random.nextInt(10) == 0) {
      command.append(
          "lsid", BsonDocument.parse("{id: UUID('00112233-4455-6677-8899-aabbccddeeff')}"));
    }
    return command.append("$db", new BsonString("test"));
  }

  private BsonValue anyOf(List<BsonValue> all) {
    return all.get(random.nextInt(all.size()));
  }

  private void compare(BsonDocument command) {
    BsonDocument general = command.clone().append(GENERAL, BsonBoolean.FALSE);
    String asked = command.toJson(TYPED);
    String expected = answerAndCost(general);
    String answer = answerAndCost(command);
    if (TestEngines.isUnkind() && find(RawDocument.of(command)) == null) {
      // Both go the general way, and pay for pages of any length.
      answer = withoutCost(answer);
      expected = withoutCost(expected);
    }
    assertThat(answer).as(asked).isEqualTo(expected);
  }

  private static String withoutCost(String answer) {
    return answer.substring(0, answer.lastIndexOf(COST));
  }

  private String answerAndCost(BsonDocument command) {
    String collection = command.getString("find").getValue();
    long uses = uses(collection);
    data.commands.connection.remember(null);
    String reply = data.answer(command.toJson(TYPED));
    return reply
        + COST
        + data.commands.connection.lastRequest()
        + ", uses of the index: "
        + (uses(collection) - uses);
  }

  private long uses(String collection) {
    CollectionStore store = data.engine.find(new Namespace("test", collection));
    return data.planner.indexUses().of(store, IndexSpec.idIndex()).operations();
  }
}
