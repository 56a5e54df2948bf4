package dev.orrery.storage.power;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.partition.EpkRange;
import java.io.IOException;
import java.util.List;
import org.bson.BsonDocument;

/** Work during which a process can die. */
enum KillScenario {
  /** The first one after the index was built, and a second one that changes what is there. */
  CHECKPOINT {
    @Override
    void run(KillStore store) {
      store.engine().checkpoint();
      store.write(30);
      store.engine().checkpoint();
    }
  },

  STOP {
    @Override
    void run(KillStore store) {
      store.silence();
      store.engine().close();
    }
  },

  /** After another kill: what it left is replayed, then saved. */
  START {
    @Override
    void run(KillStore store) throws IOException {
      store.restart();
      store.engine().checkpoint();
    }
  },

  SPLIT {
    @Override
    void run(KillStore store) {
      split(store);
    }
  },

  MERGE {
    @Override
    void prepare(KillStore store) {
      split(store);
      store.write(60);
    }

    @Override
    void run(KillStore store) {
      List<PartitionStore> two = store.collection().partitions();
      store.engine().merge(store.collection(), two.get(0).id(), two.get(1).id(), store::turn);
    }
  },

  INDEX_BUILD {
    @Override
    void run(KillStore store) {
      build(store, "{key: {v: 1}, name: 'v_1'}");
      store.write(20);
      store.engine().checkpoint();
    }
  },

  UNIQUE_INDEX_BUILD {
    @Override
    void prepare(KillStore store) {
      store.engine().dropIndex(store.collection(), "u_1");
      store.write(20);
    }

    @Override
    void run(KillStore store) {
      build(store, "{key: {u: 1}, name: 'u_1', unique: true}");
      store.write(20);
      store.engine().checkpoint();
    }
  },

  /** The unique keys are taken by all writes and saved by none but this build of another index. */
  INDEX_BUILD_BESIDE_AN_UNSAVED_UNIQUE_ONE {
    @Override
    void prepare(KillStore store) {
      store.write(300);
    }

    @Override
    void run(KillStore store) {
      build(store, "{key: {v: -1}, name: 'v_-1'}");
    }
  },

  INDEX_DROP {
    @Override
    void run(KillStore store) {
      for (IndexEntry entry : List.copyOf(store.collection().info().indexes())) {
        if (!entry.spec().isIdIndex()) {
          store.engine().dropIndex(store.collection(), entry.spec().name());
        }
      }
      store.engine().checkpoint();
    }
  },

  COLLECTION_DROP {
    @Override
    void run(KillStore store) {
      store.silence();
      store.engine().drop(store.collection());
      store.engine().checkpoint();
    }

    @Override
    boolean mayDrop() {
      return true;
    }
  },

  COMPACTION {
    @Override
    void run(KillStore store) {
      store.rewriteAll();
      store.restartCompacting();
      store.engine().compact();
      store.write(10);
      store.engine().compact();
    }
  },

  ROLL {
    @Override
    void run(KillStore store) {
      store.write(500);
    }
  };

  /** Before the first kill. */
  void prepare(KillStore store) {}

  abstract void run(KillStore store) throws IOException;

  /** Whether the collection may be gone afterwards. */
  boolean mayDrop() {
    return false;
  }

  private static void build(KillStore store, String spec) {
    var index = IndexSpec.of(BsonDocument.parse(spec));
    store.engine().createIndexes(store.collection(), present -> List.of(index), store::turn);
  }

  private static void split(KillStore store) {
    CollectionStore collection = store.collection();
    PartitionStore only = collection.partitions().get(0);
    String half = "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF";
    if (!only.range().equals(EpkRange.ALL)) {
      throw new IllegalStateException("split already: " + only.range());
    }
    store.engine().split(collection, only.id(), half, store::turn);
  }
}
