package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.NestingException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Definitions that nest nearly as deep as a message may: whatever is accepted can be shown, used
 * and kept.
 */
class DeepDefinitionsTest {
  private static final int OVERFLOW = 15;
  private static final int FIRST = 176;
  private static final int LAST = 199;

  @TempDir Path directory;

  private static BsonDocument nested(int levels) {
    var inner = new BsonDocument("leaf", new BsonInt32(1));
    for (int i = 1; i < levels; i++) {
      inner = new BsonDocument("d", inner);
    }
    return inner;
  }

  private static BsonDocument with(String json, String name, BsonValue value) {
    BsonDocument document = BsonDocument.parse(json);
    set(document, name, value);
    return document;
  }

  private static void set(BsonValue in, String name, BsonValue value) {
    if (in instanceof BsonDocument document) {
      document.replaceAll((field, old) -> isPlace(old, name) ? value : old);
      document.values().stream().filter(one -> one != value).forEach(one -> set(one, name, value));
    } else if (in.isArray()) {
      in.asArray().forEach(one -> set(one, name, value));
    }
  }

  private static boolean isPlace(BsonValue value, String name) {
    return value.equals(new BsonString(name));
  }

  private static BsonDocument run(TestServer server, BsonDocument command) throws IOException {
    try (var connection = new RawConnection(server.port(), "127.0.0.1")) {
      connection.send(command);
      return connection.receive();
    }
  }

  private static boolean isOk(BsonDocument reply) {
    return reply.getNumber("ok").doubleValue() == 1;
  }

  /** Makes it if it may be; a refusal has the code for what is too deep. */
  private static boolean accepts(TestServer server, BsonDocument command) throws IOException {
    BsonDocument reply;
    try {
      reply = run(server, command);
    } catch (NestingException e) {
      return false; // no message can be so deep
    }
    if (!isOk(reply)) {
      assertThat(reply.getNumber("code").intValue()).as(reply.toString()).isEqualTo(OVERFLOW);
    }
    return isOk(reply);
  }

  private static List<String> create(TestServer server, int levels) throws IOException {
    BsonDocument deep = nested(levels);
    var made = new ArrayList<String>();
    String name = "validated" + levels;
    var create = "{create: '%s', validator: {a: 'D'}, validationAction: 'warn'}".formatted(name);
    if (accepts(server, with(create, "D", deep))) {
      made.add(name);
    }
    name = "changed" + levels;
    assertThat(accepts(server, BsonDocument.parse("{create: '" + name + "'}"))).isTrue();
    made.add(name);
    accepts(server, with("{collMod: '" + name + "', validator: {a: 'D'}}", "D", deep));
    accepts(
        server,
        with(
            "{createIndexes: '%s', indexes: [{key: {a: 1}, name: 'p', partialFilterExpression: {a:"
                    .formatted(name)
                + " 'D'}}]}",
            "D",
            deep));
    accepts(
        server,
        with(
            "{createIndexes: '%s', indexes: [{key: {'$**': 1}, name: 'w', wildcardProjection: {a:"
                    .formatted(name)
                + " 'D'}}]}",
            "D",
            nested(levels)));
    name = "view" + levels;
    var view =
        "{create: '%s', viewOn: 'changed%d', pipeline: [{$match: {a: 'D'}}]}"
            .formatted(name, levels);
    if (accepts(server, with(view, "D", deep))) {
      made.add(name);
    }
    return made;
  }

  private static void use(TestServer server, List<String> names) throws IOException {
    for (String name : names) {
      for (String command :
          List.of(
              "{listCollections: 1, filter: {name: '%s'}}",
              "{find: '%s', filter: {a: 1}}",
              "{count: '%s'}",
              "{aggregate: '%s', pipeline: [{$match: {b: 1}}], cursor: {}}")) {
        BsonDocument reply = run(server, BsonDocument.parse(command.formatted(name)));
        assertThat(isOk(reply)).as("%s %s", command.formatted(name), reply).isTrue();
      }
      if (!name.startsWith("view")) {
        for (String command :
            List.of(
                "{listIndexes: '%s'}",
                "{collMod: '%s', validationLevel: 'moderate'}",
                "{validate: '%s'}",
                "{insert: '%s', documents: [{a: 1}]}",
                "{update: '%s', updates: [{q: {}, u: {$set: {b: 1}}}]}")) {
          BsonDocument reply = run(server, BsonDocument.parse(command.formatted(name)));
          assertThat(isOk(reply)).as("%s %s", command.formatted(name), reply).isTrue();
        }
      }
    }
    BsonDocument all = run(server, BsonDocument.parse("{listCollections: 1}"));
    assertThat(isOk(all)).as(all.toString()).isTrue();
  }

  @Test
  void whatIsAcceptedCanBeShownUsedAndKept() throws IOException {
    var made = new ArrayList<String>();
    try (var server = TestServer.start("--data=" + directory)) {
      for (int levels = FIRST; levels <= LAST; levels++) {
        made.addAll(create(server, levels));
      }
      use(server, made);
    }
    assertThat(made).hasSizeGreaterThan(3 * 15);
    for (int i = 0; i < 2; i++) {
      try (var server = TestServer.start("--data=" + directory)) {
        use(server, made);
      }
    }
  }
}
