package dev.orrery.server.throughput;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

class HotSpotsTest {
  private static final long SECOND = 1_000;

  private final CollectionTotals totals =
      new CollectionTotals(new Namespace("shop", "orders"), () -> true);

  private void spend(int partition, String key, long units) {
    var charge = new RequestCharge(units * RequestCharge.UNIT);
    totals.add(partition, SECOND, charge);
    totals.addKey(PartitionKeyValue.of(RawValue.of(new BsonString(key))), charge);
  }

  @Test
  void oneKeyThatTakesMostOfAMinuteIsHot() {
    spend(0, "today", 5_000);
    spend(1, "a", 500);
    spend(2, "b", 500);
    HotSpots.HotSpot hot = HotSpots.find(totals, SECOND);
    assertThat(hot.partition()).isZero();
    assertThat(hot.key().value()).isEqualTo(new BsonString("today"));
    assertThat(hot.keyShare()).isGreaterThan(0.8);
  }

  @Test
  void onePartitionWithManyKeysIsHotWithoutAKey() {
    for (int i = 0; i < 10; i++) {
      spend(0, "key" + i, 500);
    }
    spend(1, "other", 500);
    HotSpots.HotSpot hot = HotSpots.find(totals, SECOND);
    assertThat(hot.partition()).isZero();
    assertThat(hot.key()).isNull();
  }

  @Test
  void evenLoadAndLittleLoadAreNotHot() {
    spend(0, "a", 10);
    assertThat(HotSpots.find(totals, SECOND)).isNull();
    for (int i = 0; i < 4; i++) {
      spend(i, "key" + i, 5_000);
    }
    assertThat(HotSpots.find(totals, SECOND)).isNull();
  }

  @Test
  void whatIsOlderThanAMinuteIsForgotten() {
    spend(0, "today", 5_000);
    totals.turn();
    assertThat(HotSpots.find(totals, SECOND + 60)).isNull();
  }
}
