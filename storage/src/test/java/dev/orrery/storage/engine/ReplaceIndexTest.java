package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.lane.Lane;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.UniqueViolationException;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index that becomes unique is the old one or the new one, never none. */
final class ReplaceIndexTest {
  private static final String PLAIN = "{key: {v: 1}, name: 'v', partialFilterExpression: {v: 1}}";
  private static final IndexSpec UNIQUE =
      IndexSpec.of(
          BsonDocument.parse(
              "{key: {v: 1}, name: 'v', unique: true, partialFilterExpression: {v: 1}}"));

  @TempDir Path root;

  private final FilterHooks filters = new FilterHooks();

  private EngineHarness open() {
    var store = new EngineHarness(root.resolve("store"), EngineHarness.quiet(), filters);
    store.create(null, PLAIN, "{key: {w: 1}, name: 'w'}");
    for (int i = 0; i < 200; i++) {
      store.insert(i);
    }
    return store;
  }

  private static WriteOutcome.Status insertDuplicate(EngineHarness store) {
    var document = RawDocument.of(BsonDocument.parse("{_id: 1000, v: 7}"));
    var batch = WriteBatch.of(new WriteOperation.Insert(store.store(), document));
    return Lane.await(store.engine.commit(batch, new WorkMeter())).outcomes().get(0).status();
  }

  private static List<String> names(EngineHarness store) {
    return store.store().info().indexes().stream()
        .map(IndexEntry::spec)
        .map(spec -> spec.name() + (spec.isUnique() && !spec.isIdIndex() ? " unique" : ""))
        .toList();
  }

  private static long entries(EngineHarness store) {
    var spec = store.store().info().index("v").spec();
    var cursor = store.partition().scan(spec, IndexRange.all(false));
    long count = 0;
    while (cursor.awaitNext(new WorkMeter())) {
      count++;
    }
    return count;
  }

  private static void requireUnique(EngineHarness store) {
    assertThat(names(store)).containsExactly("_id_", "v unique", "w");
    assertThat(entries(store)).isEqualTo(200);
    assertThat(insertDuplicate(store)).isEqualTo(WriteOutcome.Status.DUPLICATE);
    store.engine.verify();
  }

  private static void requirePlain(EngineHarness store) {
    assertThat(names(store)).containsExactly("_id_", "v", "w");
    assertThat(entries(store)).isEqualTo(200);
    store.engine.verify();
    assertThat(insertDuplicate(store)).isEqualTo(WriteOutcome.Status.APPLIED);
  }

  @Test
  void theNewIndexTakesThePlaceOfTheOldOne() {
    try (var store = open()) {
      store.engine.replaceIndex(store.store(), UNIQUE);
      requireUnique(store);
      store.crash();
      requireUnique(store);
      store.reopen();
      requireUnique(store);
    }
  }

  @Test
  void aDuplicateLeavesTheOldIndex() {
    try (var store = open()) {
      store.insert("{_id: 500, v: 3}");
      store.delete(8);
      assertThatThrownBy(() -> store.engine.replaceIndex(store.store(), UNIQUE))
          .isInstanceOf(UniqueViolationException.class);
      requirePlain(store);
    }
  }

  @Test
  void aCrashInTheMidstLeavesTheOldIndex() {
    try (var store = open()) {
      var copy = new Path[1];
      int[] seen = {0};
      filters.whenAsked =
          () -> {
            if (++seen[0] == 100) {
              copy[0] = store.copyFiles();
            }
          };
      store.engine.replaceIndex(store.store(), UNIQUE);
      filters.whenAsked = () -> {};
      requireUnique(store);
      store.goOnWith(copy[0]);
      requirePlain(store);
      store.delete(1000);
      store.engine.replaceIndex(store.store(), UNIQUE); // over what the crash left behind
      requireUnique(store);
    }
  }
}
