package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.FilterParser;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters with thousands of clauses are planned in time that grows as they do. */
class LargeFilterTest {
  private static final int DOCUMENTS = 300;

  /** Far above what is needed, far below what a quadratic planner takes. */
  private static final Duration ENOUGH = Duration.ofSeconds(60);

  private PlanFixture fixture;

  @BeforeEach
  void open(@TempDir Path directory) {
    fixture = new PlanFixture(directory, null, 1);
    for (int i = 0; i < DOCUMENTS; i++) {
      fixture.insert("{_id: " + i + ", a: " + i + ", b: " + i % 5 + ", m: [" + i + ", 1000]}");
    }
    fixture.index("a", "{a: 1}", "{}");
    fixture.index("ba", "{b: 1, a: -1}", "{}");
    fixture.index("m", "{m: 1}", "{}");
    fixture.index("hashed", "{a: 'hashed'}", "{}");
    fixture.index("part", "{a: 1, b: 1}", "{partialFilterExpression: {a: {$gt: 5}}}");
    fixture.index("collated", "{b: 1, c: 1}", "{collation: {locale: 'en'}}");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static BsonArray values(int count, IntFunction<BsonValue> value) {
    var array = new BsonArray();
    for (int i = 0; i < count; i++) {
      array.add(value.apply(i));
    }
    return array;
  }

  private static BsonDocument of(String name, BsonValue value) {
    return new BsonDocument(name, value);
  }

  private static BsonDocument filter(String kind, int count) {
    return switch (kind) {
      case "or" -> of("$or", values(count, i -> range("a", i)));
      case "or of two fields" ->
          of("$or", values(count, i -> range("a", i).append("b", new BsonInt32(i % 5))));
      case "and" -> of("$and", values(count, i -> range("a", i)));
      case "nor" -> of("$nor", values(count, i -> of("a", new BsonInt32(i))));
      case "nor of arrays" -> of("$nor", values(count, i -> of("m", new BsonInt32(i))));
      case "in" -> of("a", of("$in", values(count, BsonInt32::new)));
      case "nin" -> of("a", of("$nin", values(count, BsonInt32::new)));
      case "elements" -> of("m", of("$elemMatch", of("$nin", values(count, BsonInt32::new))));
      case "many nots" -> of("$and", values(count, i -> of("a", of("$ne", new BsonInt32(i)))));
      default -> throw new IllegalArgumentException(kind);
    };
  }

  private static BsonDocument range(String path, int from) {
    return of(path, of("$gte", new BsonInt32(from)).append("$lt", new BsonInt32(from + 2)));
  }

  private Query query(BsonDocument filter) {
    RawDocument document = RawDocument.of(filter);
    return Query.of(fixture.collection, FilterParser.parse(document), document);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"or", "or of two fields", "and", "nor", "nor of arrays", "in", "nin", "elements"})
  void planningTakesTimeInProportion(String kind) {
    Query query = query(filter(kind, 40_000));
    Assertions.assertTimeout(ENOUGH, () -> new Planner().plan(query));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"or", "or of two fields", "and", "nor", "in", "nin", "elements", "many nots"})
  void planningEndsWithItsAllowance(String kind) {
    Query query = query(filter(kind, 5_000));
    var allowance =
        Allowance.of(
            () -> {
              throw new CommandException(ErrorCode.MAX_TIME_MS_EXPIRED, "time is up");
            });
    assertThatThrownBy(() -> allowance.grant(() -> new Planner().plan(query)))
        .hasMessage("time is up");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "or",
        "or of two fields",
        "and",
        "nor",
        "nor of arrays",
        "in",
        "nin",
        "elements",
        "many nots"
      })
  void theAnswerIsThatOfAScan(String kind) {
    Query query = query(filter(kind, 250));
    assertThat(sorted(fixture.ids(query)))
        .isEqualTo(sorted(fixture.ids(query.with(PlanFixture.natural()))));
  }

  private static List<Integer> sorted(List<Integer> ids) {
    return ids.stream().sorted().toList();
  }

  @Test
  void clausesThatOverlapReadTheIndexOnce() {
    Query query = query(of("$or", values(200, i -> of("a", of("$gte", new BsonInt32(i))))));
    BsonDocument statistics = fixture.statistics(query);
    assertThat(statistics.getInt32("nReturned").getValue()).isEqualTo(DOCUMENTS);
    assertThat(statistics.getInt32("totalKeysExamined").getValue()).isEqualTo(DOCUMENTS);
  }

  @Test
  void fewClausesKeepTheirOwnScans() {
    Query query = query(of("$or", values(3, i -> of("a", of("$gte", new BsonInt32(i))))));
    BsonDocument or = fixture.plan(query).getDocument("inputStage");
    assertThat(or.getString("stage").getValue()).isEqualTo("OR");
    assertThat(or.getArray("inputStages")).hasSize(3);
  }

  @Test
  void noMoreThanTwoHundredScansAreMerged() {
    BsonArray many = values(150, BsonInt32::new);
    BsonDocument filter = of("b", of("$in", many)).append("a", of("$in", many));
    Query query = query(filter).with(PlanFixture.order("{c: 1}"));
    assertThat(PlanFixture.stages(fixture.plan(query))).doesNotContain("SORT_MERGE");
  }
}
