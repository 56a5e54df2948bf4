package dev.orrery.server.throughput;

/**
 * The price list: what an operation costs, as a function of the work it did and of nothing else.
 * The same request on the same data costs the same on every machine, at any time.
 */
public final class RequestUnits {
  /*
   * Prices are whole multiples of 1/21 request unit. The size tables are Microsoft's published ones
   * (reads 1.00 for 1 KB ... 291.81 for 2 MB, writes 4.95 ... 1250), which turn out to be multiples of 1/21
   * for reads and 4/21 for writes; between two rows the price is interpolated and rounded up to the
   * next multiple, beyond the last row it goes on with the last slope. One index term costs 4/21, so a
   * create of 1 KB with 4 terms is (26 + 4) * 4/21 = 5.71. A replace is a delete and an insert and
   * pays for the terms that change; many writes in one request get no discount.
   *
   * There is no published formula for queries. Ours is calibrated on published examples: 2.48 for each
   * physical partition asked (an empty query), 0.71 for each document of 1 KB returned (one result
   * 3.19, seven 7.5, a hundred 74), and 34 for each megabyte that is loaded and filtered out (10,000
   * documents, 4.95 MB: 171). Reads cost double under strong and bounded-staleness consistency.
   */

  private static final int KB = 1024;

  /** Sizes of the published rows, in KB. */
  private static final int[] SIZES = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};

  /** Reads in twenty-firsts. */
  private static final long[] READS = {21, 22, 24, 28, 35, 46, 100, 209, 426, 860, 3064, 6128};

  /** Writes in twenty-firsts. */
  private static final long[] WRITES = {
    104, 132, 140, 148, 200, 236, 476, 1012, 2064, 3876, 13125, 26250
  };

  private static final int READ_STEP = 1;
  private static final int WRITE_STEP = 4;

  /** One index entry added or removed. */
  private static final long TERM = 4;

  /** One unique index that a new version of a document is checked against. */
  private static final long UNIQUE_CHECK = 2;

  /** One physical partition asked by a query. */
  private static final long PARTITION = 52;

  /** One document of up to 1 KB returned by a query; larger ones in proportion to their read. */
  private static final long RESULT = 15;

  /** A megabyte of documents loaded by a query. */
  private static final long LOADED_MEGABYTE = 715;

  private RequestUnits() {}

  /** A read by primary key; also when there is no such document, which counts as 1 KB. */
  public static RequestCharge pointRead(long bytes) {
    return new RequestCharge(bySize(READS, READ_STEP, bytes));
  }

  /** A new document with that many index entries. */
  public static RequestCharge create(long bytes, long terms) {
    return new RequestCharge(bySize(WRITES, WRITE_STEP, bytes) + TERM * terms);
  }

  /** What unique indexes add to the price of a create or replace: "slightly" in the documents. */
  public static RequestCharge uniqueChecks(long indexes) {
    return new RequestCharge(UNIQUE_CHECK * indexes);
  }

  public static RequestCharge delete(long bytes, long terms) {
    return create(bytes, terms);
  }

  /** A changed document: the old one goes, the new one comes; only terms that differ count. */
  public static RequestCharge replace(
      long bytesBefore, long bytesAfter, long termsRemoved, long termsAdded) {
    return delete(bytesBefore, termsRemoved).plus(create(bytesAfter, termsAdded));
  }

  /** What a query did. */
  public record QueryWork(int partitions, long bytesLoaded, long results, long resultBytes) {}

  public static RequestCharge query(QueryWork work) {
    long loaded = ceilingDivide(work.bytesLoaded() * LOADED_MEGABYTE, KB * KB);
    long returned = 0;
    if (work.results() > 0) {
      long average = ceilingDivide(work.resultBytes(), work.results());
      long read = bySize(READS, READ_STEP, average);
      returned = ceilingDivide(work.results() * RESULT * read, READS[0]);
    }
    return new RequestCharge(PARTITION * Math.max(1, work.partitions()) + loaded + returned);
  }

  /** Reads under strong or bounded-staleness consistency ask two replicas. */
  public static RequestCharge underStrongConsistency(RequestCharge read) {
    return read.times(2);
  }

  private static long bySize(long[] prices, int step, long bytes) {
    if (bytes <= SIZES[0] * KB) {
      return prices[0];
    }
    int row = 1;
    while (row < SIZES.length - 1 && bytes > (long) SIZES[row] * KB) {
      row++;
    }
    long fromBytes = (long) SIZES[row - 1] * KB;
    long width = (long) SIZES[row] * KB - fromBytes;
    long rise = prices[row] - prices[row - 1];
    long price = prices[row - 1] + ceilingDivide((bytes - fromBytes) * rise, width);
    boolean isRow = bytes == (long) SIZES[row] * KB;
    return isRow ? prices[row] : ceilingDivide(price, step) * step;
  }

  private static long ceilingDivide(long value, long divisor) {
    return -Math.floorDiv(-value, divisor);
  }
}
