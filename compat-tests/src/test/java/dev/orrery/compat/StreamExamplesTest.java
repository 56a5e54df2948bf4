package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/change-streams.md, as they stand there, beside writes. */
@ExtendWith(ClientTable.class)
final class StreamExamplesTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "change-streams.md");
  private static final Pattern EXAMPLE =
      Pattern.compile("(?s)```js\n(export async function (\\w+)\\(.*?)```");

  @TempDir private Path home;

  @Test
  @Exercises(client = ClientKind.NODE, what = "the examples of docs/change-streams.md")
  void whatPeopleBuildOnStreamsComesOutRight() throws IOException {
    Matcher example = EXAMPLE.matcher(Files.readString(DOCUMENT));
    int count = 0;
    while (example.find()) {
      Files.writeString(home.resolve(example.group(2) + ".mjs"), example.group(1));
      count++;
    }
    assertThat(count).isEqualTo(3);
    try (var server = PackagedServer.ephemeral()) {
      assertThat(
              ClientProcess.lines(
                  home,
                  ClientTool.MONGODB.script("stream-examples.mjs", server.uri(), home.toString())))
          .containsExactly("copied true", "materialised true", "counted true");
    }
  }
}
