package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every example of docs/partitioning.md runs in mongosh, and spreads as the text beside it says.
 */
@ExtendWith(ClientTable.class)
final class PartitioningExamplesTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "partitioning.md");
  private static final String CODE = "    ";

  /**
   * Random numbers that are the same in every run, and so are spread and price of what has them.
   */
  private static final String CHANCE =
      "let state = 1;"
          + "function chance() { return (state = state * 48271 % 2147483647) / 2147483647 }";

  @TempDir private Path home;

  @Test
  @Exercises(client = ClientKind.MONGOSH, what = "the examples of docs/partitioning.md")
  void examplesRunAndSpreadAsPromised() throws IOException {
    Path script = home.resolve("examples.js");
    Files.writeString(script, script());
    BsonDocument shown;
    try (var server = PackagedServer.ephemeral()) {
      List<String> lines =
          ClientProcess.lines(
              home,
              ClientTool.MONGOSH.program(
                  server.uri() + "partitioning?maxPoolSize=1&serverSelectionTimeoutMS=60000",
                  "--quiet",
                  "--file",
                  script + ""));
      shown = BsonDocument.parse(lines.get(lines.size() - 1));
    }
    // The hash of a key never changes and the price list has no clock, so all of this is exact.
    assertThat(spread(shown, "byUser")).containsExactly(232, 240, 244, 256, 240, 288, 248, 252);
    assertThat(spread(shown, "byDate")).containsExactly(0, 2000, 0, 0, 0, 0, 0, 0);
    assertThat(shown.getDocument("hot").getString("key").getValue()).isEqualTo("2026-05-01");
    assertThat(spread(shown, "readings")).containsExactly(152, 137, 159, 130, 150, 136, 136, 120);
    assertThat(spread(shown, "random")).containsExactly(226, 278, 264, 298, 289, 201, 244, 200);
    assertThat(spread(shown, "computed")).containsExactly(222, 277, 259, 320, 247, 204, 241, 230);
    assertThat(spread(shown, "made")).containsExactly(227, 270, 256, 318, 253, 205, 238, 233);
    assertThat(price(shown, "oneDay")).isEqualTo(68 / 21.0);
    assertThat(price(shown, "oneDevice")).isEqualTo(904 / 21.0);
    assertThat(price(shown, "somewhere")).isEqualTo((5 * 52 + 16) / 21.0); // it is in the fifth
    assertThat(price(shown, "targeted")).isEqualTo(1);
    assertThat(price(shown, "tenant")).isEqualTo(68 / 21.0); // also beside 2,000 others
    assertThat(price(shown, "made")).isEqualTo(68 / 21.0);
    assertThat(shown.getDocument("tenant3").getInt32("provisionedThroughput").getValue())
        .isEqualTo(400);
    assertThat(shown.getInt32("refused").getValue()).isEqualTo(11000);
    assertThat(shown.getInt32("people").getValue()).isEqualTo(2);
  }

  private static List<Integer> spread(BsonDocument shown, String collection) {
    return shown.getDocument("spread").getArray(collection).stream()
        .map(count -> count.asInt32().getValue())
        .toList();
  }

  private static double price(BsonDocument shown, String what) {
    return shown.getDocument("cost").getNumber(what).doubleValue();
  }

  /** The code of the document as one script that prints at its end what it showed. */
  private static String script() throws IOException {
    var lines = new ArrayList<>(List.of("const shown = { spread: {}, cost: {} };", CHANCE));
    for (String line : Files.readAllLines(DOCUMENT)) {
      if (line.startsWith(CODE) && !line.startsWith(CODE + "use ")) {
        String code = line.substring(CODE.length()).replace("Math.random()", "chance()");
        lines.add(recorded(code));
      }
    }
    lines.add("print(EJSON.stringify(shown))");
    return String.join("\n", lines);
  }

  /** A line whose value the text speaks of is kept under a name. */
  private static String recorded(String line) {
    if (line.startsWith("spread(")) {
      String name = line.substring(8, line.indexOf('"', 8));
      return "shown.spread." + name + " = " + line;
    }
    if (line.startsWith("db.runCommand({ruStatistics")) {
      return "shown.hot = " + line;
    }
    if (line.contains("// refused")) {
      return "try { "
          + line.substring(0, line.indexOf("//"))
          + "} catch (e) { shown.refused ="
          + " e.code; shown.people = db.people.countDocuments() }";
    }
    if (line.startsWith("db.runCommand({customAction: \"GetCollection\"")) {
      return "shown.tenant3 = " + line;
    }
    return Arrays.stream(line.split("; cost\\(\\)", 2))
        .collect(Collectors.joining("; shown.cost." + nameOf(line) + " = cost()"));
  }

  private static String nameOf(String line) {
    if (line.contains("deviceDay: \"device7")) {
      return "oneDay";
    } else if (line.contains("{device: 7}")) {
      return "oneDevice";
    } else if (line.contains("db.random.findOne")) {
      return "somewhere";
    } else if (line.contains("db.computed.findOne")) {
      return "targeted";
    } else if (line.contains("db.made.find")) {
      return "made";
    }
    return "tenant";
  }
}
