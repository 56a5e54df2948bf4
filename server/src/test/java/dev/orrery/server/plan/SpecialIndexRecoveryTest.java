package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.query.FilterParser;
import dev.orrery.server.cursor.SpillDirectory;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.engine.EngineOptions;
import dev.orrery.value.Namespace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Geo and text indexes are there again when an engine is opened again. */
@Tag("embedded")
class SpecialIndexRecoveryTest {
  private static final String NEAR = "{p: {$nearSphere: [0, 0]}}";
  private static final String SEARCH = "{$text: {$search: 'running'}}";

  @TempDir Path directory;

  @Test
  void indexesSurviveAStop() {
    try (var fixture = new PlanFixture(directory, "k", 2)) {
      fixture.index("places", "{p: '2dsphere'}", "{'2dsphereIndexVersion': 3}");
      fixture.index(
          "words",
          "{_fts: 'text', _ftsx: 1}",
          "{weights: {t: 1}, default_language: 'english', language_override: 'language',"
              + " textIndexVersion: 3}");
      for (int i = 0; i < 20; i++) {
        fixture.insert("{_id: %d, k: %d, p: [%d, 1], t: 'he runs'}".formatted(i, i, 19 - i));
      }
      assertThat(fixture.ids(fixture.query(NEAR))).hasSize(20).startsWith(19, 18, 17);
      assertThat(fixture.ids(fixture.query(SEARCH))).hasSize(20);
    }
    try (StorageEngine engine =
        ChronicleEngine.open(
            directory.resolve("data"), EngineOptions.defaults(), new QueryHooks())) {
      CollectionStore collection = engine.find(new Namespace("db", "c"));
      assertThat(ids(collection, NEAR)).hasSize(20).startsWith(19, 18, 17);
      assertThat(ids(collection, SEARCH)).hasSize(20);
    }
  }

  private List<Integer> ids(CollectionStore collection, String filter) {
    var document = PlanFixture.raw(filter);
    Query query = Query.of(collection, FilterParser.parse(document), document);
    var execution = new Execution(new SpillDirectory(directory.resolve("temporary")), true);
    var found = new ArrayList<Integer>();
    try (var cursor = new Planner().plan(query).open(execution)) {
      for (var one = cursor.next(); one != null; one = cursor.next()) {
        found.add(one.document().field("_id").asInt32());
      }
    }
    return found;
  }
}
