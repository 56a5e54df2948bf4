package dev.orrery.server.throughput;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What an account of Cosmos DB may do as a whole, in every profile: nothing is limited unless the
 * server is told to. Thread-safe.
 */
public final class AccountLimits {
  /** Request units per second of the requests about databases, collections and indexes. */
  static final long METADATA_UNITS = 240;

  static final int OFFER_CHANGES_MAX = 25;
  static final long OFFER_WINDOW_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** What a collection of a serverless account may do and hold. */
  static final long SERVERLESS_UNITS = 20_000;

  static final long SERVERLESS_BYTES_MAX = 1L << 40;

  private static final String METADATA = "metadata";
  private static final String OFFER_CHANGES = "offer-changes";
  private static final String SERVERLESS = "serverless";
  private static final String THROUGHPUT = "throughput=";

  /** Nothing is published about the price of a request for metadata; it is one unit here. */
  private static final RequestCharge METADATA_PRICE = new RequestCharge(RequestCharge.UNIT);

  private final LongSupplier nanos;
  private final AtomicLong activities = new AtomicLong();
  private final Deque<Long> offerChanges = new ArrayDeque<>();
  private @Nullable Budget metadata;
  private boolean limitsOfferChanges;
  private boolean isServerless;
  private long throughputMax = Long.MAX_VALUE;

  private AccountLimits(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** No limits. */
  public static AccountLimits none() {
    return new AccountLimits(System::nanoTime);
  }

  /**
   * The limits of a list such as {@code metadata,offer-changes,throughput=4000}; empty text is
   * none.
   *
   * @throws IllegalArgumentException for anything else
   */
  public static AccountLimits parse(String list, LongSupplier nanos) {
    var limits = new AccountLimits(nanos);
    for (String item : list.split(",", -1)) {
      if (!item.isBlank()) {
        limits.take(item.strip());
      }
    }
    return limits;
  }

  private void take(String item) {
    switch (item) {
      case METADATA -> metadata = new Budget(METADATA_UNITS, () -> false, nanos.getAsLong());
      case OFFER_CHANGES -> limitsOfferChanges = true;
      case SERVERLESS -> isServerless = true;
      default -> throughputMax = throughput(item);
    }
  }

  private static long throughput(String item) {
    String digits = item.startsWith(THROUGHPUT) ? item.substring(THROUGHPUT.length()) : "";
    if (!digits.matches("[1-9][0-9]{0,11}")) {
      throw new IllegalArgumentException(
          "'%s' is none of metadata, offer-changes, serverless, throughput=RU/s".formatted(item));
    }
    return Long.parseLong(digits);
  }

  public boolean isServerless() {
    return isServerless;
  }

  public boolean limitsThroughput() {
    return throughputMax < Long.MAX_VALUE;
  }

  /** Lets a request about metadata run, and takes its price; refuses it when none is left. */
  public void admitMetadata() {
    if (metadata == null) {
      return;
    }
    long now = nanos.getAsLong();
    long wait = metadata.millisToWait(now);
    if (wait > 0) {
      throw RateLimit.ofMetadata(wait, activities.incrementAndGet());
    }
    metadata.charge(METADATA_PRICE, now);
  }

  /** Counts a change of an offer; refuses it when there were too many of late. */
  public void admitOfferChange() {
    if (!limitsOfferChanges) {
      return;
    }
    long now = nanos.getAsLong();
    synchronized (offerChanges) {
      while (!offerChanges.isEmpty() && now - offerChanges.peek() >= OFFER_WINDOW_NANOS) {
        offerChanges.remove();
      }
      if (offerChanges.size() >= OFFER_CHANGES_MAX) {
        long wait = OFFER_WINDOW_NANOS - (now - offerChanges.peek());
        throw RateLimit.ofMetadata(
            Math.max(1, TimeUnit.NANOSECONDS.toMillis(wait)), activities.incrementAndGet());
      }
      offerChanges.add(now);
    }
  }

  /** Refuses an offer where there are none. */
  public void requireOffers(Throughput asked) {
    if (isServerless && asked.isProvisioned()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Setting offer throughput or autopilot on container is not supported for serverless"
              + " accounts.");
    }
  }

  /**
   * Refuses what would take all offers together beyond the account's limit.
   *
   * @param present the sum of all offers
   * @param change by how much it would grow
   */
  public void requireRoom(long present, long change) {
    if (change > 0 && present + change > throughputMax) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          ("Your account is currently configured with a total throughput limit of %d RU/s. This"
                  + " operation failed because it would have increased the total throughput to %d"
                  + " RU/s. See https://aka.ms/cosmos-tp-limit for more information.")
              .formatted(throughputMax, present + change));
    }
  }

  /** Refuses another document in a collection of a serverless account that is full. */
  public void requireStorage(long bytes) {
    if (bytes >= SERVERLESS_BYTES_MAX) {
      throw new CommandException(
          ErrorCode.UNAUTHORIZED, "A collection of a serverless account can hold 1 TB at most.");
    }
  }
}
