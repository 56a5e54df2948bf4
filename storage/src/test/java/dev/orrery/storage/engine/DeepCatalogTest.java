package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.NestingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a collection's description may hold can be saved by a checkpoint too. */
class DeepCatalogTest {
  @TempDir Path root;

  private static BsonDocument nested(int levels) {
    var inner = new BsonDocument("leaf", new BsonInt32(1));
    for (int i = 1; i < levels; i++) {
      inner = new BsonDocument("d", inner);
    }
    return inner;
  }

  @Test
  void everyDepthIsEitherRefusedOrKept() {
    List<Integer> kept = new ArrayList<>();
    List<Integer> refused = new ArrayList<>();
    try (var store = new EngineHarness(root.resolve("store"))) {
      for (int levels = 185; levels <= 200; levels++) {
        try {
          store.engine.create(
              new Namespace("db", "c" + levels),
              new CollectionInfo.Creation(
                  new BsonDocument("validator", nested(levels)),
                  null,
                  List.of(IndexSpec.idIndex()),
                  1,
                  new BsonDocument()));
          kept.add(levels);
        } catch (NestingException e) {
          refused.add(levels);
        }
        store.engine.checkpoint();
      }
      assertThat(kept).hasSizeGreaterThan(10);
      assertThat(refused).isNotEmpty();
      store.reopen();
      assertThat(store.engine.replayedGroups()).isZero();
      for (int levels : kept) {
        var found = store.engine.find(new Namespace("db", "c" + levels));
        assertThat(found.info().options().getDocument("validator")).isEqualTo(nested(levels));
      }
      for (int levels : refused) {
        assertThat(store.engine.find(new Namespace("db", "c" + levels))).isNull();
      }
    }
  }
}
