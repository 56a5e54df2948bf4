package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What requests cost between two commands. */
class RequestUnitScopeTest {
  private static final String SESSION = "lsid: {id: UUID('00000000-0000-0000-0000-000000000001')}";

  @TempDir Path directory;

  @Test
  void aScopeCountsItsOwnRequestsExactly() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{insert: 'a', documents: [{_id: 1, k: 'x'}]}");
      fixture.must("{startRequestUnitScope: 't', by: 'comment', comment: 'mine'}");
      double price = charge(fixture, "{find: 'a', filter: {k: 'x'}, comment: 'mine'}");
      charge(fixture, "{find: 'a', filter: {k: 'x'}, comment: 'theirs'}");
      charge(fixture, "{find: 'a', filter: {k: 'y'}, comment: 'mine'}");

      BsonDocument reply = fixture.must("{endRequestUnitScope: 't'}");

      assertThat(reply.getInt64("requests").getValue()).isEqualTo(2);
      assertThat(reply.getArray("shapes")).hasSize(1);
      BsonDocument shape = reply.getArray("shapes").get(0).asDocument();
      assertThat(shape.getString("name").getValue()).isEqualTo("find a filter {k: ?}");
      assertThat(shape.getDouble("dearest").getValue()).isEqualTo(price);
      assertThat(shape.getDocument("effort").getString("plan").getValue()).isEqualTo("COLLSCAN");
      assertThat(reply.getArray("collections").get(0).asDocument().getString("name").getValue())
          .isEqualTo("shop.a");
      assertThat(fixture.error("{endRequestUnitScope: 't'}"))
          .isEqualTo("2 BadValue: there is no scope 't'");
    }
  }

  @Test
  void itIsOfASessionADatabaseOrAnApplication() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{insert: 'a', documents: [{_id: 1}]}");
      fixture.must("{startRequestUnitScope: 's', " + SESSION + "}");
      fixture.must("{startRequestUnitScope: 'd', by: 'database'}");
      fixture.must("{startRequestUnitScope: 'n', by: 'appName', appName: 'web'}");
      fixture.must("{find: 'a', " + SESSION + "}");
      fixture.must("{find: 'a'}");
      fixture.commands.run("{insert: 'b', documents: [{_id: 1}], $db: 'other'}");

      assertThat(requests(fixture, "s")).isEqualTo(1);
      assertThat(requests(fixture, "d")).isEqualTo(2);
      assertThat(requests(fixture, "n")).isZero();
    }
  }

  @Test
  void aLimitThatIsPassedNamesWhatWasDear() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{startRequestUnitScope: 'test 7', by: 'database'}");
      fixture.must("{insert: 'a', documents: [{_id: 1}, {_id: 2}]}");

      assertThat(fixture.error("{endRequestUnitScope: 'test 7', maxRequestUnits: 5}"))
          .startsWith("96 OperationFailed: test 7 spent ")
          .contains(" RU in 1 requests, more than 5.00; the dearest: insert a (");
      fixture.must("{startRequestUnitScope: 'test 7', by: 'database'}");
      fixture.must("{endRequestUnitScope: 'test 7', maxRequestUnits: 0}");
    }
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    try (var fixture = CosmosFixture.extended(directory)) {
      assertThat(fixture.error("{startRequestUnitScope: 't'}"))
          .isEqualTo("2 BadValue: the scope needs a session (lsid) of its own");
      assertThat(fixture.error("{startRequestUnitScope: 't', by: 'comment'}"))
          .isEqualTo("2 BadValue: the scope needs comment: <text>");
      assertThat(fixture.error("{startRequestUnitScope: 't', by: 'appName'}"))
          .isEqualTo("2 BadValue: the scope needs appName: <name>");
      assertThat(fixture.error("{startRequestUnitScope: 't', by: 'moon'}")).contains("BadValue");
      assertThat(fixture.error("{startRequestUnitScope: ''}")).contains("1 to 200 characters");
      assertThat(fixture.error("{startRequestUnitScope: 1}")).contains("TypeMismatch");
      fixture.must("{startRequestUnitScope: 't', by: 'database'}");
      assertThat(fixture.error("{endRequestUnitScope: 't', maxRequestUnits: 'few'}"))
          .isEqualTo("14 TypeMismatch: maxRequestUnits must be a number");
    }
  }

  private static long requests(CosmosFixture fixture, String scope) {
    return fixture.must("{endRequestUnitScope: '" + scope + "'}").getInt64("requests").getValue();
  }

  private static double charge(CosmosFixture fixture, String command) {
    fixture.must(command);
    return fixture.must("{getLastRequestStatistics: 1}").getDouble("RequestCharge").getValue();
  }
}
