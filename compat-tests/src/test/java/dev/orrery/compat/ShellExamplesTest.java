package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the documents say to type into mongosh works as it is pasted. The longer ones have tests of
 * their own, which also look at what comes out.
 */
@ExtendWith(ClientTable.class)
final class ShellExamplesTest {
  private static final Path ROOT = Path.of("..");

  /** CommandExamplesTest and PartitioningExamplesTest run these. */
  private static final Set<String> TESTED_ELSEWHERE =
      Set.of("docs/commands.md", "docs/partitioning.md");

  private static final Set<String> TESTED_HERE =
      Set.of("docs/change-streams.md", "docs/security.md", "docs/testing.md");

  private static final Pattern TYPED =
      Pattern.compile("(?m)^(?: {4})?(?:(?:db|sh|rs|admin)\\.\\w|use \\w+$)");

  @TempDir private Path home;

  @Test
  void everyDocumentWithSuchExamplesIsTested() throws IOException {
    var found = new TreeSet<String>();
    try (Stream<Path> documents = Files.walk(ROOT.resolve("docs"))) {
      for (Path document :
          Stream.concat(documents, Stream.of(ROOT.resolve("README.md")))
              .filter(path -> path.toString().endsWith(".md"))
              .toList()) {
        if (TYPED.matcher(Files.readString(document)).find()) {
          found.add(ROOT.relativize(document).toString().replace('\\', '/'));
        }
      }
    }
    var tested = new TreeSet<>(TESTED_HERE);
    tested.addAll(TESTED_ELSEWHERE);
    assertThat(found).isEqualTo(tested);
  }

  @Test
  @Exercises(
      client = ClientKind.MONGOSH,
      what = "the examples of docs/change-streams.md, security.md and testing.md")
  void examplesRunAsPasted() throws IOException {
    var lines = new ArrayList<String>();
    lines.add("var passwordPrompt = () => 'secret';"); // there is nobody to ask
    for (String document : TESTED_HERE.stream().sorted().toList()) {
      lines.add("db = db.getSiblingDB('shop');");
      for (String block : blocks(document)) {
        lines.add(block);
      }
    }
    lines.add("print(EJSON.stringify({users: db.getSiblingDB('admin').getUsers().users.length}))");
    Path script = home.resolve("examples.js");
    Files.writeString(script, String.join("\n", lines));
    try (var server = PackagedServer.ephemeral("--test-commands")) {
      List<String> shown =
          ClientProcess.lines(
              home,
              ClientTool.MONGOSH.program(
                  server.uri() + "shop?maxPoolSize=1&serverSelectionTimeoutMS=60000",
                  "--quiet",
                  "--file",
                  script + ""));
      BsonDocument last = BsonDocument.parse(shown.get(shown.size() - 1));
      assertThat(last.getInt32("users").getValue()).as("%s", shown).isEqualTo(1);
    }
  }

  /** The blocks for mongosh, in the form of a script. */
  private static List<String> blocks(String document) throws IOException {
    var blocks = new ArrayList<String>();
    String[] parts = (Files.readString(ROOT.resolve(document)) + "\n").split("(?m)^```");
    for (int i = 1; i < parts.length; i += 2) { // each second one stands between fences
      String code = parts[i].substring(parts[i].indexOf('\n') + 1);
      if (TYPED.matcher(code).find()) {
        blocks.add(code.replaceAll("(?m)^use (\\w+)$", "db = db.getSiblingDB('$1');"));
      }
    }
    return blocks;
  }
}
