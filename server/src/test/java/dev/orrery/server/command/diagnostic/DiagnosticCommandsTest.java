package dev.orrery.server.command.diagnostic;

import static dev.orrery.server.command.CommandFixture.canonical;
import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandFixture;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

class DiagnosticCommandsTest {
  private final CommandFixture server = new CommandFixture();

  /** What some commands miss before they look for what is too much. */
  private static final Map<String, String> REQUIRED =
      Map.of(
          "createRole", ", privileges: [], roles: []",
          "createUser", ", roles: []",
          "grantPrivilegesToRole", ", privileges: []",
          "grantRolesToRole", ", roles: []",
          "grantRolesToUser", ", roles: []",
          "revokePrivilegesFromRole", ", privileges: []",
          "revokeRolesFromRole", ", roles: []",
          "revokeRolesFromUser", ", roles: []",
          "saslStart", ", mechanism: 'SCRAM-SHA-1'");

  @Test
  void pingAnswersOk() {
    assertThat(server.answer("{ping: 1}")).isEqualTo(canonical("{ok: 1.0}"));
    assertThat(server.answer("{ping: 'x'}")).isEqualTo(canonical("{ok: 1.0}"));
    assertThat(server.error("{ping: 1, foo: 1}"))
        .isEqualTo("40415 Location40415: BSON field 'ping.foo' is an unknown field.");
  }

  @Test
  void buildInfoIsThatOfMongoDb7() {
    BsonDocument reply = server.run("{buildInfo: 1}");
    assertThat(reply.keySet())
        .containsExactly(
            "version",
            "gitVersion",
            "modules",
            "allocator",
            "javascriptEngine",
            "sysInfo",
            "versionArray",
            "buildEnvironment",
            "bits",
            "debug",
            "maxBsonObjectSize",
            "storageEngines",
            "ok");
    assertThat(reply.getString("version").getValue()).isEqualTo("7.0.15");
    assertThat(reply.getArray("versionArray").toString())
        .isEqualTo(BsonDocument.parse("{a: [7, 0, 15, 0]}").getArray("a").toString());
    assertThat(reply.getInt32("maxBsonObjectSize").getValue()).isEqualTo(16_777_216);
    assertThat(reply.getDocument("buildEnvironment").getString("orrery").getValue())
        .isEqualTo("0.1.0");
    assertThat(server.run("{buildinfo: 1}")).isEqualTo(reply);
  }

  @Test
  void connectionStatusKnowsNobody() {
    assertThat(server.answer("{connectionStatus: 1}"))
        .isEqualTo(
            canonical("{authInfo: {authenticatedUsers: [], authenticatedUserRoles: []}, ok: 1.0}"));
    assertThat(server.answer("{connectionStatus: 1, showPrivileges: true}"))
        .isEqualTo(
            canonical(
                "{authInfo: {authenticatedUsers: [], authenticatedUserRoles: [],"
                    + " authenticatedUserPrivileges: []}, ok: 1.0}"));
  }

  @Test
  void parametersAreReadByNameOrAllAtOnce() {
    assertThat(server.answer("{getParameter: 1, featureCompatibilityVersion: 1}"))
        .isEqualTo(canonical("{featureCompatibilityVersion: {version: '7.0'}, ok: 1.0}"));
    assertThat(server.answer("{getParameter: 1, logLevel: 1}"))
        .isEqualTo(canonical("{logLevel: 0, ok: 1.0}"));
    String none = "72 InvalidOptions: no option found to get";
    assertThat(server.error("{getParameter: 1}")).isEqualTo(none);
    assertThat(server.error("{getParameter: 'foo'}")).isEqualTo(none);
    assertThat(server.error("{getParameter: 1, fooBar: 1}")).isEqualTo(none);
    assertThat(server.run("{getParameter: '*'}")).containsKeys("logLevel", "quiet");
    assertThat(server.run("{getParameter: {allParameters: true}}"))
        .isEqualTo(server.run("{getParameter: '*'}"));
  }

  @Test
  void parametersAreSetAllOrNone() {
    assertThat(server.answer("{setParameter: 1, logLevel: 2}"))
        .isEqualTo(canonical("{was: 0, ok: 1.0}"));
    assertThat(server.answer("{getParameter: 1, logLevel: 1}"))
        .isEqualTo(canonical("{logLevel: 2, ok: 1.0}"));
    assertThat(server.error("{setParameter: 1, logLevel: 3, fooBar: 1}"))
        .isEqualTo(
            "72 InvalidOptions: attempted to set unrecognized parameter [fooBar], use help:true to"
                + " see options ");
    assertThat(server.parameters.value("logLevel").asInt32().getValue()).isEqualTo(2);
    assertThat(server.error("{setParameter: 1, maxSessions: 3}"))
        .isEqualTo("20 IllegalOperation: not allowed to change [maxSessions] at runtime");
    assertThat(server.error("{setParameter: 1}"))
        .isEqualTo("72 InvalidOptions: no option found to set, use help:true to see options ");
    assertThat(server.error("{setParameter: 1, logLevel: 0, $db: 'x'}"))
        .isEqualTo("13 Unauthorized: setParameter may only be run against the admin database.");
  }

  @Test
  void serverSideRetryFollowsItsParameter() {
    assertThat(server.parameters.hasServerSideRetry()).isFalse();
    server.answer("{setParameter: 1, disableRateLimitingResponses: true}");
    assertThat(server.parameters.hasServerSideRetry()).isTrue();
    server.answer("{setParameter: 1, disableRateLimitingResponses: 0}");
    assertThat(server.parameters.hasServerSideRetry()).isFalse();
  }

  @Test
  void getLogHasTheLastLines() {
    assertThat(server.answer("{getLog: 'startupWarnings'}"))
        .isEqualTo(canonical("{totalLinesWritten: 0, log: [], ok: 1.0}"));
    for (int i = 0; i <= RecentLog.LINES_MAX; i++) {
      server.log.add("line " + i);
    }
    BsonDocument reply = server.run("{getLog: 'global'}");
    assertThat(reply.getInt32("totalLinesWritten").getValue()).isEqualTo(1025);
    assertThat(reply.getArray("log")).hasSize(1024);
    assertThat(reply.getArray("log").get(0).asString().getValue()).isEqualTo("line 1");
    assertThat(server.answer("{getLog: '*'}"))
        .isEqualTo(canonical("{names: ['global', 'startupWarnings'], ok: 1.0}"));
    assertThat(server.error("{getLog: 'foo'}")).isEqualTo("96 OperationFailed: No log named 'foo'");
  }

  @Test
  void smallQuestionsHaveSmallAnswers() {
    assertThat(server.answer("{whatsmyuri: 1}"))
        .isEqualTo(canonical("{you: '127.0.0.1:50000', ok: 1.0}"));
    assertThat(server.answer("{getCmdLineOpts: 1}"))
        .isEqualTo(canonical("{argv: ['--port', '27017'], parsed: {net: {port: 1}}, ok: 1.0}"));
    assertThat(server.answer("{logout: 1}")).isEqualTo(canonical("{ok: 1.0}"));
    assertThat(server.answer("{lockInfo: 1}")).isEqualTo(canonical("{lockInfo: [], ok: 1.0}"));
    assertThat(server.answer("{logRotate: 1}")).isEqualTo(canonical("{ok: 1.0}"));
    assertThat(server.run("{features: 1}")).containsKeys("oidMachine", "ok");
    assertThat(server.run("{connPoolStats: 1}")).containsKeys("totalInUse", "hosts", "ok");
    assertThat(server.run("{hostInfo: 1}").keySet()).containsExactly("system", "os", "extra", "ok");
  }

  @Test
  void shutdownStopsTheServerAfterItsReply() {
    assertThat(server.answer("{shutdown: 1}")).isEqualTo(canonical("{ok: 1.0}"));
    assertThat(server.stops).containsExactly("stop");
    assertThat(server.connection.isClosing()).isTrue();
  }

  @Test
  void theFeatureCompatibilityVersionStays() {
    assertThat(server.error("{setFeatureCompatibilityVersion: '7.0', $db: 'x'}"))
        .isEqualTo(
            "13 Unauthorized: setFeatureCompatibilityVersion may only be run against the admin"
                + " database.");
    assertThat(server.error("{setFeatureCompatibilityVersion: '9.9', confirm: true}"))
        .startsWith(
            "4926900 Location4926900: Invalid feature compatibility version value '9.9'; expected"
                + " '6.0' or '6.3' or '7.0'.");
    assertThat(server.error("{setFeatureCompatibilityVersion: '7.0'}"))
        .startsWith("7369100 Location7369100: Once you have downgraded the FCV");
    assertThat(server.answer("{setFeatureCompatibilityVersion: '7.0', confirm: true}"))
        .isEqualTo(canonical("{ok: 1.0}"));
  }

  @Test
  void theReplicaSetHasOneMember() {
    BsonDocument status = server.run("{replSetGetStatus: 1}");
    assertThat(status.getString("set").getValue()).isEqualTo("globaldb");
    assertThat(status.getInt32("myState").getValue()).isEqualTo(1);
    assertThat(status.getArray("members")).hasSize(1);
    BsonDocument config = server.run("{replSetGetConfig: 1}").getDocument("config");
    BsonValue member = config.getArray("members").get(0);
    assertThat(member.asDocument().getString("host").getValue()).isEqualTo("127.0.0.1:27017");
    assertThat(server.answer("{getDefaultRWConcern: 1}"))
        .isEqualTo(
            canonical(
                "{defaultReadConcern: {level: 'local'}, defaultWriteConcern: {w: 'majority',"
                    + " wtimeout: 0}, defaultWriteConcernSource: 'implicit',"
                    + " defaultReadConcernSource: 'implicit', localUpdateWallClockTime: {$date:"
                    + " '2026-03-04T05:06:07.890Z'}, ok: 1.0}"));
    assertThat(server.error("{getDefaultRWConcern: 1, $db: 'x'}"))
        .isEqualTo(
            "13 Unauthorized: getDefaultRWConcern may only be run against the admin database.");
  }

  @Test
  void serverStatusCountsWhatHappened() {
    server.network.opened();
    server.network.opened();
    server.network.closed();
    server.operations.opened(server.connection);
    server.network.received(100);
    server.network.sent(300);
    server.run("{ping: 1}");
    server.run("{ping: 1, foo: 1}");
    server.run("{nope: 1}");
    BsonDocument reply = server.run("{serverStatus: 1, recordStats: 0, mem: 0}");
    assertThat(reply.getDocument("connections"))
        .isEqualTo(
            BsonDocument.parse(
                "{current: 1, available: 999, totalCreated: 2, threaded: 1, active: 1}"));
    assertThat(reply.getDocument("network").toJson())
        .isEqualTo(
            BsonDocument.parse(
                    "{bytesIn: {$numberLong: '100'}, bytesOut: {$numberLong: '300'},"
                        + " physicalBytesIn: {$numberLong: '100'},"
                        + " physicalBytesOut: {$numberLong: '300'},"
                        + " numRequests: {$numberLong: '1'}}")
                .toJson());
    assertThat(reply.getDocument("metrics").getDocument("commands").getDocument("ping"))
        .isEqualTo(BsonDocument.parse("{failed: {$numberLong: '1'}, total: {$numberLong: '2'}}"));
    assertThat(reply.getDocument("opcounters").getInt64("command").getValue()).isEqualTo(1);
    assertThat(reply.getDocument("asserts").getInt32("user").getValue()).isEqualTo(2);
    assertThat(reply).doesNotContainKey("mem").containsKeys("repl", "uptime", "localTime");
    assertThat(server.run("{serverStatus: 1}").getDocument("mem").getInt32("resident").getValue())
        .isPositive();
  }

  @Test
  void listCommandsListsItself() {
    BsonDocument commands = server.run("{listCommands: 1}").getDocument("commands");
    assertThat(List.copyOf(commands.keySet())).isSorted().contains("listCommands", "ping", "hello");
    assertThat(commands.getDocument("isMaster"))
        .isEqualTo(
            BsonDocument.parse(
                "{help: '', requiresAuth: false, secondaryOk: false, adminOnly: false, apiVersions:"
                    + " [], deprecatedApiVersions: [], aliases: ['ismaster']}"));
  }

  @Test
  void everyCommandRefusesAnUnknownFieldOrTakesAny() {
    List<String> free =
        List.of("getParameter", "hello", "isMaster", "serverStatus", "setParameter");
    for (Command command : StandardCommands.table(server.services(), List.of()).commands()) {
      String name = command.spec().name();
      String value = name.contains("Sessions") ? "[]" : "'x'";
      String others = REQUIRED.getOrDefault(name, "");
      if (!free.contains(name)) {
        assertThat(server.error("{" + name + ": " + value + others + ", zzz: 1}"))
            .isEqualTo(
                "40415 Location40415: BSON field '"
                    + command.spec().fieldsOf()
                    + ".zzz' is an unknown field.");
      }
    }
  }
}
