package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/commands.md run in mongosh as they are pasted, from top to bottom. */
@ExtendWith(ClientTable.class)
final class CommandExamplesTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "commands.md");
  private static final String CODE = "    ";

  @TempDir private Path home;

  @Test
  @Exercises(client = ClientKind.MONGOSH, what = "the examples of docs/commands.md")
  void examplesRunFromTopToBottom() throws IOException {
    List<String> examples = examples();
    assertThat(examples).hasSizeGreaterThan(15);
    Path script = home.resolve("examples.js");
    Files.writeString(script, script(examples));
    try (var server = PackagedServer.ephemeral()) {
      List<String> lines =
          ClientProcess.lines(
              home,
              ClientTool.MONGOSH.program(
                  server.uri() + "shop?maxPoolSize=1&serverSelectionTimeoutMS=60000",
                  "--quiet",
                  "--file",
                  script + ""));
      String shown = lines.get(lines.size() - 1);
      assertThat(BsonDocument.parse(shown).getArray("failed")).as(shown).isEmpty();
    }
  }

  private static List<String> examples() throws IOException {
    var examples = new ArrayList<String>();
    for (String line : Files.readAllLines(DOCUMENT)) {
      if (line.startsWith(CODE) && !line.startsWith(CODE + "orrery ")) {
        examples.add(line.substring(CODE.length()));
      }
    }
    return examples;
  }

  /** Each line by itself, so that one failure does not hide the next. */
  private static String script(List<String> examples) {
    var lines = new ArrayList<>(List.of("const failed = [];"));
    for (String example : examples) {
      String text = new BsonDocument("line", new BsonString(example)).toJson();
      lines.add("try {");
      lines.add(example);
      lines.add("} catch (e) { failed.push(%s.line + ': ' + e.message) }".formatted(text));
    }
    lines.add("print(EJSON.stringify({failed}))");
    return String.join("\n", lines);
  }
}
