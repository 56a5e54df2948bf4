package dev.orrery.storage.power;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.engine.EngineOptions;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cuts the power at a random fsync, in the log or in a checkpoint, and looks at what a restart
 * finds: every acknowledged commit, no commit in part, and no fault.
 *
 * <p>{@code -Dpower.rounds=500} makes it longer, {@code -Dpower.seed=...} repeats a round.
 */
final class PowerCutTest {
  private static final int ROUNDS = Integer.getInteger("power.rounds", 20);
  private static final long SEED = Long.getLong("power.seed", System.nanoTime());
  private static final int STEPS_MAX = 400;
  private static final int DOCUMENTS_MAX = 6;
  private static final Namespace NAMESPACE = new Namespace("power", "things");

  @TempDir Path root;

  /** Documents that are always written together; all are in the same state. */
  private static final class Family {
    final int number;
    final int documents;
    int version;
    boolean isDeleted;

    Family(int number, int documents) {
      this.number = number;
      this.documents = documents;
    }

    RawDocument document(int i, Random random) {
      return RawDocument.of(
          new BsonDocument("_id", new BsonInt32(number * DOCUMENTS_MAX + i))
              .append("v", new BsonInt32(version))
              .append("x", new BsonBinary(new byte[random.nextInt(1_500)])));
    }
  }

  @Test
  void acknowledgedCommitsSurviveAndNoneIsHalfThere() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      new Round(root.resolve("round" + round), SEED + round).run();
    }
  }

  /** One life of a store, its end, and what came after. */
  private static final class Round {
    private final Path live;
    private final Path image;
    private final long seed;
    private final Random random;
    private final PowerModel model;
    private final List<Family> families = new ArrayList<>();

    /** The last version of each family that is known to be on the device; 0 for deleted. */
    private final Map<Integer, Integer> acknowledged = new ConcurrentHashMap<>();

    private volatile Map<Integer, Integer> expected;
    private ChronicleEngine engine;
    private CollectionStore collection;

    Round(Path directory, long seed) {
      this.live = directory.resolve("live");
      this.image = directory.resolve("image");
      this.seed = seed;
      this.random = new Random(seed);
      this.model = new PowerModel(live);
    }

    private static EngineOptions options(boolean isDurable) {
      return EngineOptions.defaults()
          .with(LogOptions.defaults().withFsync(isDurable).withSegmentBytes(32 << 10))
          .with(new EngineOptions.Checkpoints(Long.MAX_VALUE, Long.MAX_VALUE))
          .with(new EngineOptions.Compacting(0))
          .with(new EngineOptions.Maps(64, 500));
    }

    void run() throws IOException {
      int last = 1 + random.nextInt(random.nextBoolean() ? 40 : 400);
      model.beforeForce(number -> cutIf(number == last));
      var disk = new RecordedDisk(live, model);
      engine = ChronicleEngine.open(new RecordedPath(disk, live), options(true), new NoHooks());
      try {
        collection = engine.create(NAMESPACE, creation());
        for (int step = 0; step < STEPS_MAX && expected == null; step++) {
          step();
        }
        cutIf(true);
      } finally {
        engine.close();
      }
      check();
    }

    private static CollectionInfo.Creation creation() {
      return new CollectionInfo.Creation(
          new BsonDocument(), null, List.of(IndexSpec.idIndex()), 1, new BsonDocument());
    }

    private void cutIf(boolean isTime) throws IOException {
      if (isTime && expected == null) {
        expected = new TreeMap<>(acknowledged); // before the image: all of it was forced by now
        model.cut(image, new Random(seed + 1));
      }
    }

    private void step() {
      int choice = random.nextInt(100);
      if (choice < 4) {
        engine.checkpoint();
      } else if (choice < 6) {
        engine.compact();
      } else if (choice < 8) {
        changeIndexes();
      } else if (choice < 50 || families.isEmpty()) {
        var family = new Family(families.size(), 1 + random.nextInt(DOCUMENTS_MAX));
        families.add(family);
        write(family);
      } else {
        Family family = families.get(random.nextInt(families.size()));
        if (!family.isDeleted) {
          write(family);
        }
      }
    }

    private void changeIndexes() {
      if (!engine.dropIndex(collection, "v_1")) {
        var spec = IndexSpec.of(BsonDocument.parse("{key: {v: 1}, name: 'v_1'}"));
        engine.createIndexes(collection, List.of(spec));
      }
    }

    private void write(Family family) {
      family.isDeleted = family.version > 0 && random.nextInt(4) == 0;
      family.version += family.isDeleted ? 0 : 1;
      Receipt receipt = Receipt.NONE;
      while (receipt == Receipt.NONE) { // again, when compaction moved a document in between
        var operations = new ArrayList<WriteOperation>();
        for (int i = 0; i < family.documents; i++) {
          operations.add(operation(family, i));
        }
        var batch = new WriteBatch(operations, WriteBatch.OnFailure.APPLY_NONE);
        receipt = Lane.await(engine.commit(batch, new WorkMeter())).receipt();
      }
      if (random.nextBoolean()) {
        Lane.await(receipt.whenDurable());
        acknowledged.put(family.number, family.isDeleted ? 0 : family.version);
      }
    }

    private WriteOperation operation(Family family, int i) {
      if (family.version == 1 && !family.isDeleted) {
        return new WriteOperation.Insert(collection, family.document(i, random));
      }
      StoredDocument before = find(collection, family.number * DOCUMENTS_MAX + i);
      return family.isDeleted
          ? new WriteOperation.Delete(collection, before)
          : new WriteOperation.Replace(collection, before, family.document(i, random));
    }

    private static StoredDocument find(CollectionStore store, int id) {
      byte[] key = store.primaryKey(null, RawValue.of(new BsonInt32(id)));
      return Lane.await(store.partitionOf(null).find(key, new WorkMeter()));
    }

    private void check() {
      String what = "-Dpower.seed=" + seed + " -Dpower.rounds=1";
      try (var after = ChronicleEngine.open(image, options(false), new NoHooks())) {
        CollectionStore found = after.find(NAMESPACE);
        assertThat(found == null && !expected.isEmpty()).as(what).isFalse();
        if (found != null) {
          families.forEach(family -> check(found, family, what));
        }
        after.verify();
      } catch (RuntimeException e) {
        throw new AssertionError(what, e);
      }
    }

    private void check(CollectionStore store, Family family, String what) {
      var versions = new ArrayList<Integer>();
      for (int i = 0; i < family.documents; i++) {
        StoredDocument found = find(store, family.number * DOCUMENTS_MAX + i);
        versions.add(
            found == null ? 0 : found.document().field("v").toBsonValue().asInt32().getValue());
      }
      assertThat(versions).as(what + " family " + family.number).containsOnly(versions.get(0));
      int version = versions.get(0);
      Integer least = expected.get(family.number);
      if (least == null) {
        return; // nothing was promised
      }
      boolean isGone = version == 0 && family.isDeleted;
      assertThat(isGone || least > 0 && version >= least)
          .as(what + " family " + family.number + " has " + version + ", promised " + least)
          .isTrue();
    }
  }
}
