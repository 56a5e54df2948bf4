package dev.orrery.server.throughput;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RequestUnitsTest {
  private static final int KB = 1024;

  /** Published figures are cut or rounded to two decimals, some one way and some the other. */
  private static void assertPublished(RequestCharge charge, String published) {
    var exact =
        BigDecimal.valueOf(charge.twentyFirsts())
            .divide(BigDecimal.valueOf(RequestCharge.UNIT), 10, RoundingMode.HALF_UP);
    assertThat(exact.subtract(new BigDecimal(published)).abs())
        .as("%s against %s", exact, published)
        .isLessThan(new BigDecimal("0.0121"));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1.00, 4.95",
    "2, 1.04, 6.29",
    "4, 1.14, 6.67",
    "8, 1.33, 7.04",
    "16, 1.67, 9.52",
    "32, 2.19, 11.23",
    "64, 4.76, 22.67",
    "128, 9.95, 48.19",
    "256, 20.28, 98.29",
    "512, 40.95, 184.57",
    "1024, 145.90, 625.00",
    "2048, 291.80, 1250.00"
  })
  void everyPublishedSizeCostsWhatIsPublished(int kilobytes, String read, String write) {
    assertPublished(RequestUnits.pointRead((long) kilobytes * KB), read);
    assertPublished(RequestUnits.create((long) kilobytes * KB, 0), write);
  }

  @ParameterizedTest
  @CsvSource({"4, 5.71", "9, 6.67", "11, 7.05", "19, 8.57", "20, 8.76"})
  void createsOfOneKilobyteCostByTheirIndexTerms(int terms, String published) {
    assertPublished(RequestUnits.create(KB, terms), published);
    assertPublished(RequestUnits.delete(KB, terms), published);
  }

  @ParameterizedTest
  @CsvSource({"2, 2, 10.67", "3, 3, 11.05"})
  void aReplacePaysForBothVersionsAndForTermsThatChange(int removed, int added, String published) {
    assertPublished(RequestUnits.replace(KB, KB, removed, added), published);
  }

  @Test
  void aBatchGetsNoDiscount() {
    assertPublished(RequestUnits.create(KB, 11).times(100), "704.76");
  }

  @ParameterizedTest
  @CsvSource({"0, 2.48", "1, 3.19", "7, 7.48", "10, 9.62", "100, 73.90"})
  void queriesCostByPartitionsAndResults(int results, String expected) {
    var work = new RequestUnits.QueryWork(1, 0, results, (long) results * KB);
    assertPublished(RequestUnits.query(work), expected);
  }

  @Test
  void aScanThatFindsNothingCostsByWhatItLoads() {
    long bytes = 4_950_000;
    assertThat(RequestUnits.query(new RequestUnits.QueryWork(1, bytes, 0, 0)).toDouble())
        .isBetween(160.0, 175.0);
  }

  @Test
  void eachFurtherPartitionCostsTwoAndAHalf() {
    var one = RequestUnits.query(new RequestUnits.QueryWork(1, 0, 0, 0));
    var four = RequestUnits.query(new RequestUnits.QueryWork(4, 0, 0, 0));
    assertThat(four).isEqualTo(one.times(4));
  }

  @Test
  void strongReadsCostDouble() {
    assertPublished(RequestUnits.underStrongConsistency(RequestUnits.pointRead(KB)), "2.00");
  }

  @Test
  void aLargerDocumentNeverCostsLess() {
    var random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      long small = random.nextInt(4 << 20);
      long large = small + random.nextInt(10_000);
      assertThat(RequestUnits.pointRead(large))
          .isGreaterThanOrEqualTo(RequestUnits.pointRead(small));
      assertThat(RequestUnits.create(large, 0))
          .isGreaterThanOrEqualTo(RequestUnits.create(small, 0));
    }
  }
}
