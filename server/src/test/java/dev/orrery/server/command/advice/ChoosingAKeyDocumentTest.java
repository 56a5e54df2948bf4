package dev.orrery.server.command.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.advisor.AdviceMarkdown;
import dev.orrery.server.advisor.AdvisorSettings;
import dev.orrery.server.advisor.Growth;
import dev.orrery.server.advisor.KeyAdvice;
import dev.orrery.server.advisor.Prices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares the stories of docs/choosing-a-key.md with what the advisor says when they happen. Run
 * with {@code -Ddocs.write=true} to write that part anew.
 */
@Tag("embedded") // the document is one; plans, and so prices, are the same on any engine
@Tag("embedded") // documents show what the engine of most users says
class ChoosingAKeyDocumentTest {
  private static final Path FILE = Path.of("..", "docs", "choosing-a-key.md");
  private static final String TITLE = "## Three stories\n";

  @TempDir Path directory;

  @Test
  void theDocumentSaysWhatTheAdvisorSays() throws IOException {
    String expected = TITLE + retailer() + fleet() + tenants();
    String text = Files.readString(FILE);
    int start = text.indexOf(TITLE);
    if (Boolean.getBoolean("docs.write")) {
      text = text.substring(0, start < 0 ? text.length() : start) + expected;
      Files.writeString(FILE, text);
    }
    assertThat(text.substring(text.indexOf(TITLE))).isEqualTo(expected);
  }

  private String retailer() throws IOException {
    Story story =
        Story.of(
                i ->
                    "{_id: 'o%d', userId: 'u%d', productId: 'p%d', day: '2026-05-%02d', text: '%s'}"
                        .formatted(i, i * 7 % 400, i % 60, 1 + i % 28, Story.text(500)),
                i ->
                    switch (i % 4) {
                      case 0 ->
                          Story.insert(
                              "{_id: 'n%d', userId: 'u%d', productId: 'p%d', day: '2026-05-29',"
                                      .formatted(i, i % 400, i % 60)
                                  + " text: '%s'}".formatted(Story.text(500)));
                      case 1 ->
                          Story.update(
                              "{userId: 'u%d', _id: 'o%d'}".formatted(i * 7 % 400, i),
                              "{$set: {state: 'sent'}}");
                      default -> Story.find("{userId: 'u%d'}".formatted(i % 400));
                    })
            .at(100);
    return """

        ### A retailer: orders by user, product or day

        Orders have a user, a product and a day. Users look at their orders and change them,
        and all new orders have today's date. A day is a
        poor key, as all that is new goes to one partition; a product is named by no request.

        """
        + told(story, new Growth(0.05), "day");
  }

  private String fleet() throws IOException {
    Story story =
        Story.of(
                i ->
                    "{_id: %d, device: 'd%d', hour: %d, value: %d}"
                        .formatted(i, i % 300, i / 300, i),
                i ->
                    i % 5 == 0
                        ? Story.latest("{device: 'd%d'}".formatted(i % 300))
                        : Story.insert(
                            "{_id: 'n%d', device: 'd%d', hour: %d, value: %d}"
                                .formatted(i, i % 300, 5 + i / 200, i)))
            .at(120);
    return """

        ### A fleet of devices: readings by device or by hour

        Three hundred devices send a reading each few seconds; people look at the latest one of
        a device. With the hour as the key one partition at
        a time gets everything, and over the day all get the same: only the picture over time
        shows it.

        """
        + told(story, new Growth(0.05), "hour");
  }

  private String tenants() throws IOException {
    Story story =
        Story.of(
                i -> "{_id: %d, tenant: '%s', text: '%s'}".formatted(i, tenant(i), Story.text(900)),
                i ->
                    i % 8 == 0
                        ? Story.find("{tenant: '%s'}".formatted(tenant(i % 16 == 0 ? 0 : i + 6)))
                        : Story.insert(
                            "{_id: 'n%d', tenant: '%s', text: '%s'}"
                                .formatted(i, tenant(i), Story.text(900))))
            .at(100);
    return """

        ### Tenants, one of them a giant

        Six of ten documents are acme's. A tenant's id keeps every read in one partition, and
        binds acme to one partition's share of the throughput.
        A suffix that the server computes spreads acme over all of them, and costs its readers
        a few more partitions.

        """
        + told(story, new Growth(0.02), "tenant");
  }

  private static String tenant(int i) {
    return i % 10 < 6 ? "acme" : "t" + i % 50;
  }

  /** The table of an answer, with the best candidate and another one. */
  private String told(Story story, Growth growth, String other) throws IOException {
    var settings =
        new AdvisorSettings(
            List.of(other), null, List.of(), AdvisorSettings.PARTITIONS, growth, Prices.standard());
    var trial = new Trial(directory);
    KeyAdvice advice = Trial.advise(story, trial.record(story, List.of(), List.of()), settings);
    List<String> parts = Arrays.asList(AdviceMarkdown.of(advice).split("\n## ", -1));
    String wrong =
        parts.stream().filter(part -> part.startsWith(other + "\n")).findFirst().orElseThrow();
    String whole = parts.get(0) + "\n## " + parts.get(1) + "\n## " + wrong;
    return "```text\n" + whole.stripTrailing().replaceAll("(?m) +$", "") + "\n```\n";
  }
}
