package dev.orrery.server.command.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Filters choose the indexes of queries of one shape and leave all others alone. */
class PlanCacheFilterTest {
  private static final String FILTER =
      "{planCacheSetFilter: 'c', query: {a: 1, b: 2}, indexes: [{b: 1}]}";

  @TempDir private Path directory;
  private CosmosFixture fixture;

  @BeforeEach
  void open() {
    fixture = CosmosFixture.extended(directory);
    fixture.must("{insert: 'c', documents: [{_id: 1, a: 1, b: 1}, {_id: 2, a: 2, b: 1}]}");
    fixture.must(
        "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}, {key: {b: 1}, name: 'b'}]}");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private BsonDocument plan(String find) {
    return fixture
        .must("{explain: %s, verbosity: 'queryPlanner'}".formatted(find))
        .getDocument("queryPlanner");
  }

  private static String stages(BsonDocument plan) {
    return plan.getDocument("winningPlan").toJson();
  }

  @Test
  void aFilterHoldsForItsShapeAlsoAgainstAHint() {
    String query = "{find: 'c', filter: {a: {$eq: 9}, b: 8}}";
    String hinted = "{find: 'c', filter: {a: 9, b: 8}, hint: 'a'}";
    assertThat(stages(plan(query))).contains("\"indexName\": \"a\"");
    fixture.must(FILTER);
    assertThat(stages(plan(query))).contains("\"indexName\": \"b\"");
    assertThat(stages(plan(hinted))).contains("\"indexName\": \"b\"");
    assertThat(plan(query).getBoolean("indexFilterSet").getValue()).isTrue();
    BsonDocument other = plan("{find: 'c', filter: {a: 9, b: 8}, sort: {_id: 1}}");
    assertThat(other.getBoolean("indexFilterSet").getValue()).isFalse();
    assertThat(stages(plan("{find: 'c', filter: {a: 9}}"))).contains("\"indexName\": \"a\"");
    assertThat(
            fixture
                .must("{find: 'c', filter: {a: 2, b: 1}}")
                .getDocument("cursor")
                .getArray("firstBatch"))
        .hasSize(1);
  }

  @Test
  void indexesCanBeNamedAndOnesThatAreNotThereLeaveAScan() {
    fixture.must("{planCacheSetFilter: 'c', query: {a: 1}, indexes: ['nowhere']}");
    assertThat(stages(plan("{find: 'c', filter: {a: 5}}"))).contains("COLLSCAN");
    fixture.must("{planCacheSetFilter: 'c', query: {a: 1}, indexes: ['a']}");
    assertThat(stages(plan("{find: 'c', filter: {a: 5}}"))).contains("IXSCAN");
  }

  @Test
  void filtersAreListedAndCleared() {
    fixture.must(FILTER);
    fixture.must("{planCacheSetFilter: 'c', query: {a: 1}, sort: {b: 1}, indexes: ['a']}");
    assertThat(fixture.must("{planCacheListFilters: 'c'}").getArray("filters"))
        .containsExactlyInAnyOrderElementsOf(
            BsonArray.parse(
                "[{query: {a: 1, b: 2}, sort: {}, projection: {}, indexes: [{b: 1}]},"
                    + " {query: {a: 1}, sort: {b: 1}, projection: {}, indexes: ['a']}]"));
    fixture.must("{planCacheClearFilters: 'c', query: {a: 7, b: 7}}");
    assertThat(fixture.must("{planCacheListFilters: 'c'}").getArray("filters")).hasSize(1);
    fixture.must("{planCacheClearFilters: 'c'}");
    assertThat(fixture.must("{planCacheListFilters: 'c'}").getArray("filters")).isEmpty();
    assertThat(fixture.must("{planCacheListFilters: 'none'}").getArray("filters")).isEmpty();
  }

  @Test
  void whatMakesNoFilterIsRefused() {
    String set = "{planCacheSetFilter: '%s', %s}";
    assertThat(fixture.error(set.formatted("none", "query: {}, indexes: ['a']")))
        .isEqualTo("2 BadValue: no such collection");
    assertThat(fixture.error(set.formatted("c", "query: {}")))
        .isEqualTo("2 BadValue: required field indexes missing");
    assertThat(fixture.error(set.formatted("c", "query: {}, indexes: 1")))
        .isEqualTo("2 BadValue: required field indexes must be an array");
    assertThat(fixture.error(set.formatted("c", "query: {}, indexes: []")))
        .isEqualTo("2 BadValue: required field indexes must contain at least one index");
    assertThat(fixture.error(set.formatted("c", "query: {}, indexes: [{}]")))
        .isEqualTo("2 BadValue: index specification cannot be empty");
    assertThat(fixture.error(set.formatted("c", "query: {}, indexes: [1]")))
        .isEqualTo("2 BadValue: each item in indexes must be an object");
    assertThat(fixture.error(set.formatted("c", "indexes: ['a']")))
        .isEqualTo("2 BadValue: required field query missing");
    assertThat(fixture.error("{planCacheClearFilters: 'c', sort: {a: 1}}"))
        .isEqualTo("2 BadValue: sort, projection, or collation provided without query");
  }
}
