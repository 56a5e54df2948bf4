package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.orrery.server.command.CosmosFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients are told to compute is what the server computes. */
final class SyntheticKeyCommandLineTest {
  private static final String CONCATENATED =
      "{pk: {$concat: ['$deviceId', '-\"\\\\é ', {$toString: '$date'}]}}";
  private static final String HASHED = "{pk: {$hashSuffix: ['$deviceId', '$date', 400]}}";
  private static final List<String> DEFINITIONS = List.of(CONCATENATED, HASHED);

  /** Values of deviceId and date: for the server, and as most languages have them. */
  private static final List<List<String>> VALUES =
      List.of(
          List.of("'abc-123'", "2018", "2018"),
          List.of("'ü𝒳'", "'2018-08-09'", "\"2018-08-09\""),
          List.of("''", "'VIN42ß'", "\"VIN42ß\""),
          List.of("'x'", "-7", "-7"),
          List.of("'x'", "true", "true"),
          List.of("'x'", "null", "null"),
          List.of("'x'", "{$date: '2018-08-09T10:11:12.013Z'}", "DATE"));

  @TempDir Path directory;

  private static String print(String language, String definition) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    int code =
        new Main(new PrintStream(out, true), new PrintStream(err, true))
            .run(Map.of(), "synthetic-key", "--language", language, definition);
    assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
    return out.toString(StandardCharsets.UTF_8);
  }

  private List<String> ofServer(String definition) {
    var keys = new ArrayList<String>();
    try (var server = CosmosFixture.extended(directory.resolve("d" + definition.hashCode()))) {
      server.must(
          "{shardCollection: 'shop.a', key: {pk: 'hashed'}, synthetic: %s, $db: 'admin'}"
              .formatted(definition));
      for (int i = 0; i < VALUES.size(); i++) {
        List<String> one = VALUES.get(i);
        server.must(
            "{insert: 'a', documents: [{_id: %d, deviceId: %s, date: %s}]}"
                .formatted(i, one.get(0), one.get(1)));
        var found =
            server
                .must("{find: 'a', filter: {_id: " + i + "}}")
                .getDocument("cursor")
                .getArray("firstBatch")
                .get(0)
                .asDocument();
        keys.add(found.get("pk").isNull() ? "null" : found.getString("pk").getValue());
      }
    }
    return keys;
  }

  private static String call(List<String> value, String date, String none) {
    String device = new BsonString(value.get(0).substring(1, value.get(0).length() - 1)).getValue();
    String other = value.get(2).replace("DATE", date).replace("null", none);
    return "pk(\"%s\", %s)".formatted(device, other);
  }

  private List<String> run(Path file, String source, String... command)
      throws IOException, InterruptedException {
    Files.writeString(file, source);
    Process process;
    try {
      var builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().put("PYTHONIOENCODING", "utf-8");
      process = builder.start();
    } catch (IOException e) {
      assumeThat(command[0]).as("there is no " + command[0]).isNull();
      return List.of();
    }
    String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return told.lines().toList();
  }

  @Test
  void javascriptComputesTheSame() throws Exception {
    Path file = directory.resolve("key.js");
    for (String definition : DEFINITIONS) {
      var source = new StringBuilder(print("javascript", definition));
      for (List<String> value : VALUES) {
        String call = call(value, "new Date(\"2018-08-09T10:11:12.013Z\")", "null");
        source.append("console.log(String(").append(call).append("));\n");
      }
      assertThat(run(file, source.toString(), "node", file.toString()))
          .isEqualTo(ofServer(definition));
    }
  }

  @Test
  void pythonComputesTheSame() throws Exception {
    Path file = directory.resolve("key.py");
    for (String definition : DEFINITIONS) {
      var source =
          new StringBuilder("import datetime, random\n").append(print("python", definition));
      for (List<String> value : VALUES) {
        String call =
            call(value, "datetime.datetime(2018, 8, 9, 10, 11, 12, 13999)", "None")
                .replace(", true)", ", True)");
        source.append("print(").append(call).append(" or \"null\")\n");
      }
      assertThat(run(file, source.toString(), "python3", file.toString()))
          .isEqualTo(ofServer(definition));
    }
  }

  @Test
  void javaComputesTheSame() throws Exception {
    Path file = directory.resolve("Key.java");
    for (String definition : DEFINITIONS) {
      var source =
          new StringBuilder("import java.math.*; import java.nio.charset.*; import java.time.*;")
              .append("import java.time.format.*; import java.util.*;")
              .append("import java.util.concurrent.*; public class Key {")
              .append(print("java", definition))
              .append("public static void main(String[] none) throws Exception {")
              .append("var out = new java.io.PrintStream(System.out, true, \"UTF-8\");");
      for (List<String> value : VALUES) {
        String date = "Date.from(Instant.parse(\"2018-08-09T10:11:12.013Z\"))";
        source.append("out.println(").append(call(value, date, "null")).append(");\n");
      }
      source.append("}}");
      String java = ProcessHandle.current().info().command().orElse("java");
      assertThat(run(file, source.toString(), java, "-Dfile.encoding=UTF-8", file.toString()))
          .isEqualTo(ofServer(definition));
    }
  }

  @Test
  void theOthersHaveTheirFunctionWithAllFields() {
    assertThat(print("go", HASHED))
        .contains("func pk(deviceId any, date any) any")
        .contains("return text(deviceId) + \".\" + suffix(date, 400)");
    assertThat(print("csharp", CONCATENATED))
        .contains("static string pk(object deviceId, object date)")
        .contains("return Text(deviceId) + \"-\\\"\\\\\\u00e9 \" + Text(date);");
    assertThat(print("csharp", "{pk: {$randomSuffix: ['$day', 7]}}"))
        .contains("Text(day) + \".\" + (1 + Random.Shared.Next(7))");
  }

  @Test
  void whatCannotBeWrittenIsRefused() {
    for (String definition :
        List.of("{pk: {$add: ['$a', 1]}}", "{pk: '$pk'}", "{pk", "[1]", "{a: '$b', c: '$d'}")) {
      var err = new ByteArrayOutputStream();
      int code =
          new Main(new PrintStream(new ByteArrayOutputStream()), new PrintStream(err, true))
              .run(Map.of(), "synthetic-key", "--language", "go", definition);
      assertThat(code).as(definition).isEqualTo(2);
      assertThat(err.toString(StandardCharsets.UTF_8)).contains("orrery: no such key");
    }
  }
}
