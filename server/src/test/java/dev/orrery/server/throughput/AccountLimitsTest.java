package dev.orrery.server.throughput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AccountLimitsTest {
  private final AtomicLong nanos = new AtomicLong();

  private AccountLimits limits(String list) {
    return AccountLimits.parse(list, nanos::get);
  }

  private static void refused(Runnable request, String words) {
    assertThatThrownBy(request::run)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(words);
  }

  @Test
  void metadataHas240UnitsASecond() {
    AccountLimits limits = limits("metadata");
    for (int i = 0; i < 240; i++) {
      limits.admitMetadata();
    }
    refused(limits::admitMetadata, "high rate of metadata requests");
    refused(limits::admitMetadata, "RetryAfterMs=1,");
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10)); // two units and a bit
    limits.admitMetadata();
    limits.admitMetadata();
    limits.admitMetadata();
    refused(limits::admitMetadata, "Error=16500");
  }

  @Test
  void offersChange25TimesInAnyFiveMinutes() {
    AccountLimits limits = limits("offer-changes");
    for (int i = 0; i < 25; i++) {
      limits.admitOfferChange();
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    }
    refused(limits::admitOfferChange, "RetryAfterMs=275000,");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(275));
    limits.admitOfferChange();
    refused(limits::admitOfferChange, "RetryAfterMs=1000,");
  }

  @Test
  void allOffersTogetherHaveALimit() {
    AccountLimits limits = limits("throughput=4000");
    limits.requireRoom(3_000, 1_000);
    limits.requireRoom(5_000, -400); // to lower is never refused
    refused(
        () -> limits.requireRoom(3_600, 800),
        "configured with a total throughput limit of 4000 RU/s. This operation failed because it"
            + " would have increased the total throughput to 4400 RU/s.");
  }

  @Test
  void aServerlessAccountHasNoOffersAndOneTerabyteACollection() {
    AccountLimits limits = limits("serverless");
    limits.requireOffers(Throughput.NONE);
    refused(() -> limits.requireOffers(Throughput.manual(400)), "serverless accounts");
    limits.requireStorage((1L << 40) - 1);
    refused(() -> limits.requireStorage(1L << 40), "1 TB");
  }

  @Test
  void nothingIsLimitedUnlessItIsAskedFor() {
    AccountLimits limits = limits(" ");
    assertThatCode(
            () -> {
              for (int i = 0; i < 1_000; i++) {
                limits.admitMetadata();
                limits.admitOfferChange();
              }
              limits.requireOffers(Throughput.manual(400));
              limits.requireRoom(1_000_000, 1_000_000);
            })
        .doesNotThrowAnyException();
    assertThat(limits.isServerless()).isFalse();
  }

  @Test
  void anUnknownLimitIsRefused() {
    for (String list : new String[] {"meta", "throughput=", "throughput=0", "throughput=x"}) {
      assertThatThrownBy(() -> limits(list)).hasMessageContaining("none of metadata");
    }
  }
}
