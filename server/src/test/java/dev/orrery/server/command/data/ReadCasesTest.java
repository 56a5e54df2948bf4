package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.query.TypedCases;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.DataFixture;
import dev.orrery.server.command.FieldRecorder;
import dev.orrery.server.store.TestEngines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The options of find, count and distinct: what each does, and what it is with every type. */
class ReadCasesTest {
  private static final JsonWriterSettings EXACT =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

  private DataFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    data = new DataFixture(directory);
    data.create("c", "{}", null, "{v: 2, key: {a: 1}, name: 'a_1'}");
    var insert =
        new BsonDocument("insert", new BsonString("c"))
            .append("documents", TypedCases.load("read/options").getArray("documents"));
    run(insert);
  }

  private BsonDocument run(BsonDocument command) {
    return data.run(command.append("$db", new BsonString("test")).toJson(EXACT));
  }

  @AfterEach
  void close() {
    data.close();
  }

  private static List<BsonDocument> cases(String file) {
    return TypedCases.load(file).getArray("cases").stream().map(BsonValue::asDocument).toList();
  }

  @Test
  void optionsDoWhatTheySay() {
    List<BsonDocument> cases = new ArrayList<>(cases("read/options"));
    if (TestEngines.isUnkind()) { // record ids count from one in the embedded engine only
      cases.removeIf(test -> test.getString("option").getValue().equals("find.showRecordId"));
    }
    assertThat(cases).isNotEmpty().allSatisfy(this::check);
  }

  private void check(BsonDocument test) {
    BsonDocument reply = run(test.getDocument("command"));
    BsonDocument expected = test.getDocument("expect");
    if (expected.containsKey("error")) {
      requireError(reply, expected.getArray("error"));
    } else if (expected.containsKey("ids") || expected.containsKey("documents")) {
      BsonDocument cursor = reply.getDocument("cursor");
      BsonArray batch = cursor.getArray("firstBatch");
      assertThat(expected.containsKey("ids") ? ids(batch) : batch)
          .isEqualTo(expected.getOrDefault("ids", expected.get("documents")));
      assertThat(cursor.getInt64("id").getValue() != 0).isEqualTo(expected.containsKey("isOpen"));
    } else {
      assertThat(reply).containsAllEntriesOf(expected);
    }
  }

  private static BsonArray ids(BsonArray batch) {
    return new BsonArray(batch.stream().map(document -> document.asDocument().get("_id")).toList());
  }

  /** Words that begin with an asterisk are the end of a message with the query before it. */
  private static void requireError(BsonDocument reply, BsonArray expected) {
    BsonArray error = TypedCases.errorOf(reply);
    assertThat(error).as(reply.toString()).isNotNull();
    String words = expected.get(1).asString().getValue();
    if (words.startsWith("*")) {
      assertThat(error.get(1).asString().getValue()).endsWith(words.substring(1));
    } else {
      assertThat(error.get(1)).isEqualTo(expected.get(1));
    }
    assertThat(error.get(0)).isEqualTo(expected.get(0));
  }

  @Test
  void optionsTakeTheirTypesOnly() {
    List<TypedCases.Sample> samples = TypedCases.samples();
    assertThat(cases("read/types"))
        .allSatisfy(test -> assertThat(samples).allSatisfy(sample -> check(test, sample)));
  }

  private void check(BsonDocument test, TypedCases.Sample sample) {
    BsonDocument command = sample.into(test.get("command")).asDocument();
    BsonDocument reply = run(command);
    BsonArray expected = sample.error(test);
    if (expected == null) {
      assertThat(TypedCases.errorOf(reply)).as(command.toString()).isNull();
    } else {
      requireError(reply, expected);
    }
  }

  @Test
  void everyOptionHasCasesOfEveryKind() {
    Map<String, Set<String>> kinds = new TreeMap<>();
    for (BsonDocument test : cases("read/options")) {
      kinds
          .computeIfAbsent(test.getString("option").getValue(), name -> new TreeSet<>())
          .add(test.getString("case").getValue());
    }
    Set<String> typed = new TreeSet<>();
    cases("read/types").forEach(test -> typed.add(test.getString("option").getValue()));
    assertThat(kinds.keySet()).isEqualTo(options());
    assertThat(typed).isEqualTo(options());
    assertThat(kinds)
        .allSatisfy((name, all) -> assertThat(all).as(name).containsExactly("edge", "plain"));
  }

  /** All fields that the commands read, from their own parsers. */
  private static Set<String> options() {
    var options = new TreeSet<String>();
    addOptions("find", "FindCommandRequest", FindParams::parse, options);
    addOptions("count", "count", CountCommand.Params::parse, options);
    addOptions("distinct", "distinct", DistinctCommand.Params::parse, options);
    return options;
  }

  private static void addOptions(
      String command, String root, Consumer<CommandReader> parser, Set<String> options) {
    var recorder = new FieldRecorder(root);
    try {
      var spec = Command.Spec.of(command, Command.Access.READ).fieldsOf(root);
      parser.accept(CommandReader.recording(spec, recorder));
    } catch (FieldRecorder.Finished finished) {
      recorder
          .fields()
          .forEach(
              (path, use) -> {
                String name = path.substring(root.length() + 1);
                if (use == FieldRecorder.Use.USED && !name.equals(command)) {
                  options.add(command + "." + name);
                }
              });
    }
  }
}
