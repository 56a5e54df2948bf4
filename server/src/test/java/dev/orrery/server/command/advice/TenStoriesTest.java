package dev.orrery.server.command.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orrery.server.advisor.AdvisorSettings;
import dev.orrery.server.advisor.Growth;
import dev.orrery.server.advisor.KeyAdvice;
import dev.orrery.server.advisor.Prices;
import dev.orrery.server.advisor.Verdict;
import dev.orrery.server.workload.RecordedRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ten workloads whose right key is known: the advisor names it, says why another one is wrong, and
 * foretells what a server does that has it.
 */
class TenStoriesTest {
  private static final int PARTITIONS = AdvisorSettings.PARTITIONS;

  @TempDir Path directory;

  /** What is expected: the right key, a wrong one, and what is said of that. */
  private record Expected(String right, String wrong, String why) {}

  private KeyAdvice check(Story story, Expected expected) throws IOException {
    return check(story, expected, Growth.MEASURED);
  }

  private KeyAdvice check(Story story, Expected expected, Growth growth) throws IOException {
    var trial = new Trial(directory);
    List<RecordedRequest> recorded = trial.record(story, List.of(), List.of());
    var settings =
        new AdvisorSettings(List.of(), null, List.of(), PARTITIONS, growth, Prices.standard());
    KeyAdvice advice = Trial.advise(story, recorded, settings);
    List<String> ranking =
        advice.verdicts().stream().map(verdict -> verdict.candidate().name()).toList();
    String numbers =
        String.join(
            "; ",
            advice.verdicts().stream()
                .map(
                    each ->
                        "%s: needs %d of %.0f RU, busiest %.0f"
                            .formatted(
                                each.candidate().name(),
                                each.load().unitsPerSecond(),
                                each.load().units(),
                                each.load().p99()))
                .toList());
    assertThat(ranking.get(0)).as(numbers).isEqualTo(expected.right);
    Verdict wrong = verdict(advice, expected.wrong);
    var said = new ArrayList<>(wrong.problems());
    said.addAll(wrong.reasons());
    assertThat(said).as(expected.wrong).anyMatch(each -> each.contains(expected.why));
    checkForecast(trial, story, advice.best());
    return advice;
  }

  private static Verdict verdict(KeyAdvice advice, String name) {
    return advice.verdicts().stream()
        .filter(each -> each.candidate().name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no candidate " + name));
  }

  /** Runs the story again on a collection with the key. */
  private static void checkForecast(Trial trial, Story story, Verdict verdict) throws IOException {
    var making = List.of(Trial.shard(verdict.candidate(), PARTITIONS));
    List<RecordedRequest> free = trial.record(story, making, List.of());
    double units = Trial.units(free);
    assertThat(verdict.load().units()).as("units").isCloseTo(units, within(units / 10));

    Verdict.Rate tight = tightest(verdict);
    var limited = List.of(Trial.throughput(tight.unitsPerSecond()));
    double refused = Trial.refused(trial.record(story, making, limited));
    assertThat(tight.refused())
        .as("refused at %d", tight.unitsPerSecond())
        .isCloseTo(refused, within(Math.max(0.03, refused / 10)));
    if (verdict.load().unitsPerSecond() > 0) {
      var enough = List.of(Trial.throughput(verdict.load().unitsPerSecond()));
      assertThat(Trial.refused(trial.record(story, making, enough))).isLessThan(0.02);
    }
  }

  private static Verdict.Rate tightest(Verdict verdict) {
    return verdict.load().refusedAt().get(0);
  }

  @Test
  void uniform() throws IOException {
    Story story =
        Story.of(
            i ->
                "{_id: %d, userId: 'u%d', country: 'c%d', text: '%s'}"
                    .formatted(i, i % 500, i % 3, Story.text(600)),
            i ->
                i % 4 == 0
                    ? Story.update(
                        "{userId: 'u%d', _id: %d}".formatted(i % 500, i), "{$inc: {n: 1}}")
                    : Story.find("{userId: 'u%d'}".formatted(i * 7 % 500)));
    check(story, new Expected("userId", "country", "has only 3 values"));
  }

  @Test
  void zipfian() throws IOException {
    var zipf = Story.zipf(400);
    Story story =
        Story.of(
            i -> "{_id: %d, session: 's%d', region: 'r%d'}".formatted(i, zipf.apply(i), i % 3),
            i ->
                i % 2 == 0
                    ? Story.latest("{session: 's%d'}".formatted(zipf.apply(i)))
                    : Story.insert(
                        "{_id: 'n%d', session: 's%d', region: 'r%d'}"
                            .formatted(i, zipf.apply(i), i % 3)));
    check(story, new Expected("session", "region", "has only 3 values"));
  }

  @Test
  void oneGiantTenant() throws IOException {
    Story story =
        Story.of(
            i -> "{_id: %d, tenant: '%s', text: '%s'}".formatted(i, tenant(i), Story.text(900)),
            i ->
                i % 8 == 0
                    ? Story.find("{tenant: '%s'}".formatted(i % 16 == 0 ? "acme" : "t" + i % 50))
                    : Story.insert(
                        "{_id: 'n%d', tenant: '%s', text: '%s'}"
                            .formatted(i, tenant(i), Story.text(900))));
    check(
        story.at(100),
        new Expected("tenant with 1 of 40 suffixes by _id", "tenant", "One value, \"acme\""),
        new Growth(0.02)); // its few seconds would make a terabyte a year
  }

  private static String tenant(int i) {
    return i % 10 < 6 ? "acme" : "t" + i % 50;
  }

  @Test
  void timeOrdered() throws IOException {
    Story story =
        Story.of(
            i -> "{_id: %d, device: 'd%d', minute: %d}".formatted(i, i % 300, i / 5),
            i ->
                i % 5 == 0
                    ? Story.find("{device: 'd%d', minute: %d}".formatted(i % 300, i / 5))
                    : Story.insert(
                        "{_id: 'n%d', device: 'd%d', minute: %d}"
                            .formatted(i, i % 300, 300 + i / 200)));
    check(story, new Expected("device", "minute", "values follow the time"));
  }

  @Test
  void readByAnotherFieldThanWritten() throws IOException {
    Story story =
        Story.of(
            i -> "{_id: %d, order: 'o%d', customer: 'c%d'}".formatted(i, i, i % 200),
            i ->
                i % 10 == 0
                    ? Story.insert(
                        "{_id: 'n%d', order: 'n%d', customer: 'c%d'}".formatted(i, i, i % 200))
                    : Story.find("{customer: 'c%d'}".formatted(i * 3 % 200)));
    check(story, new Expected("customer", "order", "Hardly any read names it"));
  }

  @Test
  void transactionsByUser() throws IOException {
    Story story =
        Story.of(
            i -> "{_id: %d, user: 'u%d', account: 'a%d'}".formatted(i, i % 300, i % 900),
            i ->
                Story.update(
                    "{user: 'u%d', account: 'a%d'}"
                        .formatted(i / 2 % 300, i / 2 % 300 + i % 2 * 300),
                    "{$inc: {n: 1}}"));
    check(story.inTransactionsOf(2), new Expected("user", "account", "transactions span several"));
  }

  @Test
  void lowCardinality() throws IOException {
    Story story =
        Story.of(
            i -> "{_id: %d, queue: 'q%d', state: 's%d'}".formatted(i, i % 250, i % 2),
            i -> Story.find("{queue: 'q%d', state: 's%d'}".formatted(i % 250, i % 2)));
    check(story, new Expected("queue", "state", "has only 2 values"));
  }

  @Test
  void arrayPaths() throws IOException {
    Story story =
        Story.of(
            i ->
                "{_id: %d, author: 'a%d', tags: ['t%d', 't%d']}"
                    .formatted(i, i % 250, i % 20, i % 30),
            i ->
                i % 10 == 0
                    ? Story.find("{tags: 't%d'}".formatted(i % 20))
                    : Story.find("{author: 'a%d'}".formatted(i % 250)));
    check(story, new Expected("author", "tags", "have an array there"));
  }

  @Test
  void mutableCandidates() throws IOException {
    Story story =
        Story.of(
            i -> "{_id: %d, order: 'o%d', state: 's%d'}".formatted(i, i % 750, i % 40),
            i ->
                i % 3 == 0
                    ? Story.update(
                        "{order: 'o%d'}".formatted(i % 750),
                        "{$set: {state: 's%d'}}".formatted(i % 40))
                    : Story.find("{state: 's%d', order: 'o%d'}".formatted(i % 40, i % 750)));
    check(story, new Expected("order", "state", "change it in place"));
  }

  @Test
  void growthPastTwentyGigabytes() throws IOException {
    Story story =
        Story.of(
            i -> "{_id: %d, device: 'd%d', region: 'r%d'}".formatted(i, i % 300, i % 30),
            i ->
                i % 2 == 0
                    ? Story.find("{device: 'd%d', region: 'r%d'}".formatted(i % 300, i % 30))
                    : Story.insert(
                        "{_id: 'n%d', device: 'd%d', region: 'r%d', text: '%s'}"
                            .formatted(i, i % 300, i % 30, Story.text(300))));
    KeyAdvice advice = check(story, new Expected("device", "region", "reaches 20 GB"));
    assertThat(verdict(advice, "region").isPossible()).isFalse();
  }
}
