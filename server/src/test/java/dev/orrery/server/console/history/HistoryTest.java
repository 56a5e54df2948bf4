package dev.orrery.server.console.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.throughput.UsageLog;
import dev.orrery.value.Namespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HistoryTest {
  private static final long NOON = 1_800_000_000;
  private static final UUID ORDERS = new UUID(1, 2);

  private final HeatHistory heat = new HeatHistory();
  private final UsageHistory usage = new UsageHistory();
  private final RepartitionLog repartitions = new RepartitionLog(Clock.systemUTC());

  private HeatHistory.Load load(HeatHistory from, Resolution resolution) {
    long last = resolution.slotOf(NOON + 59);
    return from.loads(ORDERS, resolution, last - resolution.slots() + 1, resolution.slots()).get(3);
  }

  @Test
  void everyResolutionAddsUpToTheSame() {
    for (int second = 0; second < 60; second++) {
      heat.add(ORDERS, 3, new HeatHistory.Second(NOON + second, 10, 40, second));
    }
    for (Resolution resolution : Resolution.values()) {
      assertThat(load(heat, resolution).sum()).isEqualTo(600);
      assertThat(load(heat, resolution).refusedSum()).isEqualTo(59);
      assertThat(load(heat, resolution).peaks()).contains(0.25);
    }
  }

  @Test
  void whatIsTooOldIsForgotten() {
    heat.add(ORDERS, 3, new HeatHistory.Second(NOON - 3_600, 5, 0, 0));
    heat.add(ORDERS, 3, new HeatHistory.Second(NOON + 59, 7, 0, 0));

    assertThat(load(heat, Resolution.SECOND).sum()).isEqualTo(7);
    assertThat(load(heat, Resolution.MINUTE).sum()).isEqualTo(12);
    assertThat(load(heat, Resolution.MINUTE).peaks()).containsOnly(-1.0);
  }

  @Test
  void memoryIsBounded() {
    for (int i = 0; i < HeatHistory.PARTITIONS_MAX + 50; i++) {
      heat.add(ORDERS, i, new HeatHistory.Second(NOON, 1, 0, 0));
    }
    assertThat(heat.loads(ORDERS, Resolution.SECOND, NOON, 1)).hasSize(HeatHistory.PARTITIONS_MAX);
  }

  @Test
  void theDearestKeysStayWhenThereAreTooMany() {
    for (int round = 0; round < 10; round++) {
      var spent = new ArrayList<UsageLog.Spent>();
      for (int i = 0; i < 100; i++) {
        spent.add(spent(new BsonInt32(round * 100 + i), 1));
      }
      spent.add(spent(new BsonString("hot"), 50));
      usage.add(NOON + round, Map.of(ORDERS, interval(spent)));
    }

    List<UsageHistory.Use> uses = usage.uses(ORDERS, Resolution.MINUTE, NOON, NOON + 60);

    assertThat(uses.get(0).key()).isEqualTo(new BsonString("hot"));
    assertThat(uses.get(0).units()).isEqualTo(500);
    assertThat(uses).hasSizeLessThanOrEqualTo(400);
  }

  private static UsageLog.Spent spent(BsonValue key, double units) {
    return new UsageLog.Spent(3, key, 7, "insert orders", units, 0);
  }

  private static UsageLog.Interval interval(List<UsageLog.Spent> spent) {
    return new UsageLog.Interval(new Namespace("shop", "orders"), spent);
  }

  @Test
  void aFileBringsItAllBack(@TempDir Path directory) throws IOException {
    heat.add(ORDERS, 3, new HeatHistory.Second(NOON, 10, 40, 0));
    usage.add(
        NOON,
        Map.of(
            ORDERS,
            interval(List.of(spent(new BsonString("k"), 4), spent(new BsonUndefined(), 2)))));
    var file = new HistoryFile(directory);
    file.write(new HistoryFile.Contents(heat, usage, repartitions));

    var heatAgain = new HeatHistory();
    var usageAgain = new UsageHistory();
    file.read(new HistoryFile.Contents(heatAgain, usageAgain, repartitions));

    assertThat(load(heatAgain, Resolution.HOUR).sum()).isEqualTo(10);
    assertThat(usageAgain.uses(ORDERS, Resolution.HOUR, NOON, NOON + 60))
        .isEqualTo(usage.uses(ORDERS, Resolution.HOUR, NOON, NOON + 60));
  }

  @Test
  void aDamagedFileIsLeftOut(@TempDir Path directory) throws IOException {
    heat.add(ORDERS, 3, new HeatHistory.Second(NOON, 10, 40, 0));
    var file = new HistoryFile(directory);
    file.write(new HistoryFile.Contents(heat, usage, repartitions));
    Path path = directory.resolve("history");
    byte[] bytes = Files.readAllBytes(path);
    bytes[bytes.length / 2] ^= 1;
    Files.write(path, bytes);

    var again = new HeatHistory();
    file.read(new HistoryFile.Contents(again, usage, repartitions));

    assertThat(again.loads(ORDERS, Resolution.HOUR, 0, 1)).isEmpty();
  }
}
