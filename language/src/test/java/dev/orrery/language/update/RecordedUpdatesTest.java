package dev.orrery.language.update;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.CommandException;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;

/** The answers of a MongoDB 7.0.15 to updates, given by the classes of this package alone. */
class RecordedUpdatesTest {
  private static final JsonWriterSettings CANONICAL =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

  @Test
  void updatesAnswerAsRecorded() {
    var failures = new ArrayList<String>();
    int count = 0;
    for (var recorded : RecordedCase.read("update")) {
      if (isInScope(recorded)) {
        count++;
        compare(recorded, updateReply(recorded), failures);
      }
    }
    assertThat(count).isGreaterThan(350);
    assertThat(failures).as(failures.size() + " of " + count).isEmpty();
  }

  @Test
  void findAndModifyAnswersAsRecorded() {
    var failures = new ArrayList<String>();
    int count = 0;
    for (var recorded : RecordedCase.read("write")) {
      var command = recorded.command();
      if (recorded.name().startsWith("write/findAndModify")
          && command.containsKey("update")
          && !command.containsKey("sort")
          && !command.containsKey("fields")
          && !command.containsKey("hint")
          && recorded.hasAfter()) {
        count++;
        compare(recorded, findAndModifyReply(recorded), failures);
      }
    }
    assertThat(count).isGreaterThan(10);
    assertThat(failures).isEmpty();
  }

  /** What fails before any update is parsed belongs to the command. */
  private static boolean isInScope(RecordedCase recorded) {
    return recorded.hasPlainSetup()
        && (!recorded.name().startsWith("update/form") || recorded.reply().containsKey("n"));
  }

  /** A reply, and the documents stored after it. */
  private record Answer(BsonDocument reply, List<BsonDocument> after) {}

  private static Answer updateReply(RecordedCase recorded) {
    var collection = new TinyCollection(recorded.setup(), "");
    var command = recorded.command();
    var reply = new BsonDocument();
    int matched = 0;
    int modified = 0;
    var statements = command.getArray("updates");
    try {
      statements.forEach(
          statement -> UpdateParser.requireForm(RawValue.of(statement.asDocument().get("u"))));
    } catch (CommandException e) {
      return new Answer(failure(e), collection.documents());
    }
    for (int i = 0; i < statements.size(); i++) {
      try {
        var outcome =
            collection.update(
                statements.get(i).asDocument(), command.getDocument("let", new BsonDocument()));
        matched += outcome.matched();
        modified += outcome.modified();
        if (outcome.upserted() != null) {
          reply.put(
              "upserted",
              new BsonArray(
                  List.of(
                      new BsonDocument("index", new BsonInt32(i))
                          .append("_id", outcome.upserted()))));
        }
      } catch (CommandException e) {
        var error =
            new BsonDocument("index", new BsonInt32(i))
                .append("code", new BsonInt32(e.code().number()))
                .append("errmsg", new BsonString(e.getMessage()));
        reply.put("writeErrors", new BsonArray(List.of(error)));
        break;
      }
    }
    reply.append("n", new BsonInt32(matched)).append("nModified", new BsonInt32(modified));
    return new Answer(reply, collection.documents());
  }

  private static Answer findAndModifyReply(RecordedCase recorded) {
    var collection =
        new TinyCollection(
            recorded.setup(), "Plan executor error during findAndModify :: caused by :: ");
    var command = recorded.command();
    var statement =
        new BsonDocument("q", command.getDocument("query"))
            .append("u", command.get("update"))
            .append("upsert", command.getBoolean("upsert", BsonBoolean.FALSE));
    if (command.containsKey("arrayFilters")) {
      statement.append("arrayFilters", command.get("arrayFilters"));
    }
    var last = new BsonDocument();
    try {
      var outcome = collection.update(statement, command.getDocument("let", new BsonDocument()));
      boolean isInsert = outcome.upserted() != null;
      last.append("n", new BsonInt32(outcome.matched()))
          .append("updatedExisting", BsonBoolean.valueOf(outcome.matched() > 0 && !isInsert));
      if (isInsert) {
        last.append("upserted", outcome.upserted());
      }
    } catch (CommandException e) {
      return new Answer(failure(e), collection.documents());
    }
    return new Answer(new BsonDocument("lastErrorObject", last), collection.documents());
  }

  private static BsonDocument failure(CommandException e) {
    return new BsonDocument("errmsg", new BsonString(e.getMessage()))
        .append("code", new BsonInt32(e.code().number()))
        .append("codeName", new BsonString(e.code().codeName()));
  }

  private static void compare(RecordedCase recorded, Answer answer, List<String> failures) {
    var expected = new BsonDocument();
    recorded.reply().forEach(expected::put);
    expected.remove("ok");
    expected.remove("value");
    String wanted = text(expected, recorded) + text(recorded.after(), recorded);
    String given = text(answer.reply(), recorded) + text(answer.after(), recorded);
    if (!wanted.equals(given)) {
      failures.add(recorded.name() + "\n  wanted " + wanted + "\n  given  " + given + "\n");
    }
  }

  private static String text(List<BsonDocument> documents, RecordedCase recorded) {
    return documents.stream()
        .map(document -> json(stable(document, recorded.isUnordered())))
        .sorted()
        .toList()
        .toString();
  }

  private static String text(BsonDocument reply, RecordedCase recorded) {
    return json(stable(reply, true));
  }

  private static String json(BsonValue document) {
    return document.asDocument().toJson(CANONICAL);
  }

  /** The value without what differs from run to run. */
  private static BsonValue stable(BsonValue value, boolean isSorted) {
    if (value instanceof BsonDocument document) {
      var fields = new BsonDocument();
      var source = isSorted ? new TreeMap<>(document) : document;
      source.forEach((name, field) -> fields.put(name, stable(field, isSorted)));
      return fields;
    }
    if (value instanceof BsonArray array) {
      var elements = new BsonArray();
      array.forEach(element -> elements.add(stable(element, isSorted)));
      return elements;
    }
    boolean isNew =
        value instanceof BsonObjectId id
            && Math.abs(id.getValue().getTimestamp() - new ObjectId().getTimestamp()) < 86_400;
    boolean isNow =
        value.isDateTime() && value.asDateTime().getValue() == TinyCollection.NOW
            || value.isTimestamp() && value.asTimestamp().getTime() == 1_700_000_000;
    return isNew || isNow ? new BsonString("*") : value;
  }
}
