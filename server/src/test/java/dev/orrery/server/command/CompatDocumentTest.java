package dev.orrery.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.FieldRecorder.Use;
import dev.orrery.server.command.advice.AdviceCommands;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.cosmos.CosmosCommands;
import dev.orrery.server.command.cosmos.CosmosServices;
import dev.orrery.server.command.data.AggregateCommand;
import dev.orrery.server.command.data.DataCommands;
import dev.orrery.server.command.data.DataServices;
import dev.orrery.server.command.data.PipelineCheck;
import dev.orrery.server.command.diagnostic.OperationCommands;
import dev.orrery.server.command.diagnostic.StandardCommands;
import dev.orrery.server.command.diagnostic.StatisticsCommands;
import dev.orrery.server.command.schema.SchemaCommands;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.throughput.Provisioning;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

/**
 * Compares the commands' part of docs/compat.md with what the commands really read. Run with {@code
 * -Dcompat.write=true} to write that part anew.
 */
public class CompatDocumentTest {
  private static final Path FILE = Path.of("..", "docs", "compat.md");
  private static final String TITLE = "## Commands and their fields\n\n";

  /** What some commands must find before they look for more; each sample shows a part of it. */
  private static final Map<String, List<String>> SAMPLES =
      Map.of(
          "aggregate", List.of("{aggregate: 'c', pipeline: [], cursor: {}}"),
          "customAction",
              List.of(
                  "{customAction: 'CreateDatabase'}",
                  "{customAction: 'UpdateDatabase'}",
                  "{customAction: 'GetDatabase'}",
                  "{customAction: 'CreateCollection', collection: 'c'}",
                  "{customAction: 'UpdateCollection', collection: 'c'}",
                  "{customAction: 'GetCollection', collection: 'c'}"),
          "enableSharding", List.of("{enableSharding: 'd'}"),
          "findAndModify", List.of("{remove: true}", "{update: {}}"),
          "getMore", List.of("{getMore: {$numberLong: '1'}, collection: 'c'}"),
          "mergePartitions", List.of("{mergePartitions: 'c', partitions: [0, 1]}"),
          "shardCollection", List.of("{shardCollection: 'database.c', key: {k: 'hashed'}}"));

  @Test
  void theDocumentSaysWhatTheCommandsRead() throws IOException {
    String expected = document();
    String text = Files.readString(FILE);
    int start = text.indexOf(TITLE);
    if (Boolean.getBoolean("compat.write")) {
      text = text.substring(0, start) + expected;
      Files.writeString(FILE, text);
    }
    assertThat(text.substring(start)).isEqualTo(expected);
  }

  private static String document() {
    var text =
        new StringBuilder(
            TITLE
                + """
            Written by `CompatDocumentTest` from the commands themselves; run it with
            `-Dcompat.write=true` after a change. Every command also takes the generic fields:
            `$db`, `lsid`, `txnNumber`, `readConcern`, `writeConcern`, `$readPreference`,
            `maxTimeMS`, `comment`, `apiVersion`, `apiStrict`, `apiDeprecationErrors` and
            `$clusterTime`.

            *Used* fields do what MongoDB does with them. *Ignored* ones are accepted without
            effect. *Refused* ones get the error NotImplemented (238). Any other field is an
            error, unless the command takes `*`.

            | Command | Used | Ignored | Refused |
            |---|---|---|---|
            """);
    for (Command command : commands()) {
      Map<String, Use> fields = fieldsOf(command);
      text.append("| ").append(title(command.spec()));
      for (Use use : Use.values()) {
        text.append(" | ").append(list(command.spec(), fields, use));
      }
      text.append(" |\n");
    }
    return text.toString();
  }

  /** All commands, able to parse but not to run. */
  public static List<Command> commands() {
    var services = new CommandFixture().services();
    // Parsing ends before a command does anything, so none of them needs an engine.
    var databases = new Databases(null, Provisioning.EXTENDED, null);
    var definitions =
        new ArrayList<>(SchemaCommands.all(databases, null, PipelineCheck.NONE, null));
    definitions.addAll(StatisticsCommands.list(databases, null));
    var workers = new Workers(Runnable::run, null, Runnable::run, Runnable::run);
    var data =
        new DataServices(databases, null, null, null, null, workers, null, null, new Operations());
    var aggregate = new AggregateCommand(data, services.facts(), null, null);
    definitions.add(aggregate);
    definitions.addAll(DataCommands.list(data, aggregate, services.facts()));
    definitions.addAll(CosmosCommands.list(new CosmosServices(databases, null, null)));
    definitions.addAll(AdviceCommands.list(databases, null));
    definitions.addAll(
        OperationCommands.list(
            data, services.facts(), new OperationCommands.Journals(null, null, null)));
    return StandardCommands.table(services, definitions).commands();
  }

  private static String title(Command.Spec spec) {
    String name = "`" + spec.name() + "`";
    return spec.aliases().isEmpty()
        ? name
        : name
            + spec.aliases().stream()
                .map(alias -> "`" + alias + "`")
                .collect(Collectors.joining(", ", " (", ")"));
  }

  private static String list(Command.Spec spec, Map<String, Use> fields, Use use) {
    return fields.entrySet().stream()
        .filter(field -> field.getValue() == use)
        .map(field -> field.getKey().substring(spec.fieldsOf().length() + 1))
        .filter(field -> !field.equals(spec.name()))
        .sorted()
        .map(field -> "`" + field + "`")
        .collect(Collectors.joining(" "));
  }

  /** Lets the command parse as good as nothing, and stops it where its parsing ends. */
  public static Map<String, Use> fieldsOf(Command command) {
    var fields = new TreeMap<String, Use>();
    for (String sample : SAMPLES.getOrDefault(command.spec().name(), List.of("{}"))) {
      fields.putAll(fieldsOf(command, RawDocument.of(BsonDocument.parse(sample))));
    }
    return fields;
  }

  private static Map<String, Use> fieldsOf(Command command, RawDocument sample) {
    var recorder = new FieldRecorder(command.spec().fieldsOf());
    var reader = CommandReader.recording(command.spec(), recorder, sample);
    try {
      command.start(context(), reader);
    } catch (FieldRecorder.Finished finished) {
      return recorder.fields();
    }
    throw new AssertionError(command.spec().name() + " never calls finish()");
  }

  private static CommandContext context() {
    var nothing = CommandReader.of("", RawDocument.of(new BsonDocument()));
    return new CommandContext(
        new ClientConnection(1, "client", "server"),
        "database",
        Envelope.read(nothing, Command.Spec.of("ping", Command.Access.READ)),
        null,
        new Operation(0, null, null, Metering.unlimited().start(0), () -> 0));
  }
}
