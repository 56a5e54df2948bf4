package dev.orrery.server.throughput;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.partition.PartitionMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ThroughputTest {
  @Test
  void anOfferIsKeptAsItIs() {
    var offer = Throughput.manual(60_000).replacedBy(Throughput.autoscale(5_000));
    assertThat(Throughput.fromBson(offer.toBson())).isEqualTo(offer);
    assertThat(offer.highest()).isEqualTo(60_000);
    assertThat(offer.floor()).isEqualTo(500);
    var shared = offer.withShares(Map.of(3, 100L));
    assertThat(Throughput.fromBson(shared.toBson())).isEqualTo(shared);
    assertThat(Throughput.fromBson(Throughput.NONE.toBson())).isEqualTo(Throughput.NONE);
  }

  @Test
  void partitionsAreAsManyAsTheOfferTakes() {
    assertThat(Throughput.manual(400).partitions(10_000)).isEqualTo(1);
    assertThat(Throughput.manual(10_000).partitions(10_000)).isEqualTo(1);
    assertThat(Throughput.manual(10_100).partitions(10_000)).isEqualTo(2);
  }

  @Test
  void theLeastOfferFollowsSizeHistoryAndNumberOfCollections() {
    var manual = Throughput.manual(400);
    var autoscale = Throughput.autoscale(1_000);
    var large = new ThroughputRules.Subject(false, 500L << 30, 0);
    var many = new ThroughputRules.Subject(false, 0, 30);
    assertThat(ThroughputRules.minimum(manual, Throughput.NONE, large)).isEqualTo(500);
    assertThat(ThroughputRules.minimum(autoscale, Throughput.NONE, large)).isEqualTo(5_000);
    assertThat(ThroughputRules.minimum(manual, Throughput.NONE, many)).isEqualTo(900);
    assertThat(ThroughputRules.minimum(autoscale, Throughput.NONE, many)).isEqualTo(6_000);
    assertThat(ThroughputRules.minimum(autoscale, Throughput.manual(100_000), large))
        .isEqualTo(10_000);
  }

  @Test
  void sharesOfTheirOwnLeaveTheRestToTheOthers() {
    var offer = Throughput.manual(6_000).withShares(Map.of(1, 4_000L));
    assertThat(Governor.rates(offer, PartitionMap.even(3), Provisioning.EXTENDED))
        .containsOnly(Map.entry(0, 1_000L), Map.entry(1, 4_000L), Map.entry(2, 1_000L));
  }
}
