package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.query.TextFilters;
import dev.orrery.language.text.TextFields;
import dev.orrery.language.text.TextSearch;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A text index finds what matches when every document is looked at, and reads no more postings. */
class TextPlanPropertyTest {
  private static final List<String> WORDS =
      List.of(
          "run", "running", "runs", "dog", "Dogs", "the", "café", "cafe", "lazy", "don't", "x-y");

  private static final String OPTIONS =
      "{weights: {t: 3, 'a.b': 1}, default_language: 'english', language_override: 'language',"
          + " textIndexVersion: 3}";

  @TempDir Path directory;
  private final Random random = new Random(5);

  private String words(int most) {
    var words = new ArrayList<String>();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      words.add(WORDS.get(random.nextInt(WORDS.size())));
    }
    return String.join(" ", words);
  }

  private String search() {
    var search = new StringBuilder(words(3));
    if (random.nextInt(3) == 0) {
      search.append(" -").append(WORDS.get(random.nextInt(WORDS.size())));
    }
    if (random.nextInt(4) == 0) {
      search.append(" \\\"").append(words(2)).append("\\\"");
    }
    return search.toString();
  }

  private void fill(PlanFixture fixture) {
    for (int i = 0; i < 200; i++) {
      String language = random.nextInt(10) == 0 ? ", language: 'german'" : "";
      fixture.insert(
          "{_id: %d, k: %d, n: %d, t: \"%s\", a: [{b: \"%s\"}, {b: \"%s\"}]%s}"
              .formatted(i, i, random.nextInt(3), words(4), words(2), words(2), language));
    }
  }

  @Test
  void aSearchFindsWhatMatches() {
    for (String partitionKey : new String[] {null, "k"}) {
      int partitions = partitionKey == null ? 1 : 3;
      Path place = directory.resolve("of" + partitions);
      try (var fixture = new PlanFixture(place, partitionKey, partitions)) {
        fill(fixture);
        fixture.index("words", "{_fts: 'text', _ftsx: 1, n: 1}", OPTIONS);
        for (int i = 0; i < 200; i++) {
          check(fixture);
        }
      }
    }
  }

  private void check(PlanFixture fixture) {
    String options =
        random.nextInt(4) == 0 ? ", $caseSensitive: true, $diacriticSensitive: true" : "";
    String more = random.nextBoolean() ? "" : ", n: 1";
    String filter = "{$text: {$search: \"%s\"%s}%s}".formatted(search(), options, more);
    Query query = fixture.query(filter);
    var fields = TextFields.of(BsonDocument.parse(OPTIONS));
    var asked = TextFilters.find(query.criteria().filter());
    var search = new TextSearch(asked.request(), fields);
    var expected = new ArrayList<Integer>();
    for (RawDocument one : fixture.run(fixture.query(more.isEmpty() ? "{}" : "{n: 1}"))) {
      if (search.score(one) != null) {
        expected.add(one.field("_id").asInt32());
      }
    }
    assertThat(fixture.ids(query).stream().sorted().toList())
        .as(filter)
        .isEqualTo(expected.stream().sorted().toList());
  }

  @Test
  void aRareTermReadsItsPostingsOnly() {
    try (var fixture = new PlanFixture(directory.resolve("rare"), null, 1)) {
      for (int i = 0; i < 500; i++) {
        fixture.insert(
            "{_id: %d, t: '%s common words everywhere'}".formatted(i, i % 100 == 0 ? "rare" : "x"));
      }
      fixture.index("words", "{_fts: 'text', _ftsx: 1}", OPTIONS);
      BsonDocument statistics = fixture.statistics(fixture.query("{$text: {$search: 'rare'}}"));
      assertThat(statistics.getInt32("nReturned").getValue()).isEqualTo(5);
      assertThat(statistics.getInt32("totalKeysExamined").getValue()).isLessThanOrEqualTo(6);
      assertThat(statistics.getInt32("totalDocsExamined").getValue()).isEqualTo(5);
    }
  }
}
