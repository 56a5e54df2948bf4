package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.throughput.AccountLimits;
import dev.orrery.server.throughput.CosmosRules;
import dev.orrery.server.throughput.Provisioning;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every way to create something, or to change an offer, meets the limits of the account. */
class OfferLimitsTest {
  private static final String CREATE = "{customAction: 'CreateCollection', collection: '%s', %s}";

  @TempDir private Path directory;
  private CosmosFixture fixture;

  private void open(String limits) {
    CosmosRules rules = CosmosRules.cosmos();
    rules.setAccount(AccountLimits.parse(limits, () -> 0));
    fixture = new CosmosFixture(directory, new Provisioning(Provisioning.PARTITION_UNITS, rules));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void noCollectionComesAboutBeyondTheLimitOfThroughput() {
    open("throughput=1000");
    fixture.must(CREATE.formatted("a", "offerThroughput: 600"));
    fixture.must("{insert: 'b', documents: [{_id: 1}]}");
    String full = "2 BadValue: Your account is currently configured with a total throughput limit";
    assertThat(fixture.error(CREATE.formatted("c", "offerThroughput: 400"))).startsWith(full);
    assertThat(fixture.error("{create: 'c'}")).startsWith(full);
    assertThat(fixture.error("{insert: 'c', documents: [{_id: 1}]}")).startsWith(full);
    assertThat(
            fixture.error(
                "{customAction: 'UpdateCollection', collection: 'b', offerThroughput: 500}"))
        .startsWith(full);
    fixture.must("{customAction: 'UpdateCollection', collection: 'a', offerThroughput: 500}");
    fixture.must("{customAction: 'UpdateCollection', collection: 'b', offerThroughput: 500}");
  }

  @Test
  void aServerlessAccountTakesNoOfferAndTellsNone() {
    open("serverless");
    assertThat(fixture.error(CREATE.formatted("a", "offerThroughput: 400")))
        .isEqualTo(
            "2 BadValue: Setting offer throughput or autopilot on container is not supported for"
                + " serverless accounts.");
    fixture.must(CREATE.formatted("a", "shardKey: 'k'"));
    assertThat(fixture.answer("{customAction: 'GetCollection', collection: 'a'}"))
        .contains("shardKeyDefinition")
        .doesNotContain("provisionedThroughput");
  }

  @Test
  void requestsAboutMetadataHaveABudgetOfTheirOwn() {
    open("metadata");
    for (int i = 0; i < 240; i++) {
      fixture.must("{listCollections: 1}");
    }
    assertThat(fixture.error("{listIndexes: 'a'}")).startsWith("16500 ");
    fixture.must("{find: 'a'}");
  }

  @Test
  void offersCannotBeChangedTooOften() {
    open("offer-changes");
    fixture.must(CREATE.formatted("a", "offerThroughput: 400"));
    String change = "{customAction: 'UpdateCollection', collection: 'a', offerThroughput: 500}";
    for (int i = 0; i < 25; i++) {
      fixture.must(change);
    }
    assertThat(fixture.error(change)).startsWith("16500 ");
  }
}
