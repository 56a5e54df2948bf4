package dev.orrery.server.command.diagnostic;

import static dev.orrery.server.command.CommandFixture.canonical;
import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CommandFixture;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class SessionCommandsTest {
  private static final String ID =
      "{id: {$binary: {base64: 'AAECAwQFBgcICQoLDA0ODw==', subType: '04'}}}";
  private final CommandFixture server = new CommandFixture();

  @Test
  void startSessionGivesAnId() {
    BsonDocument reply = server.run("{startSession: 1}");
    assertThat(reply.keySet()).containsExactly("id", "timeoutMinutes", "ok");
    assertThat(reply.getDocument("id").getBinary("id").getType()).isEqualTo((byte) 4);
    assertThat(reply.getInt32("timeoutMinutes").getValue()).isEqualTo(30);
    assertThat(server.sessions.count()).isEqualTo(1);
  }

  @Test
  void sessionsAreRefreshedEndedAndKilled() {
    String ok = canonical("{ok: 1.0}");
    assertThat(server.answer("{refreshSessions: [" + ID + "]}")).isEqualTo(ok);
    assertThat(server.sessions.count()).isEqualTo(1);
    assertThat(server.answer("{endSessions: [" + ID + "], writeConcern: {w: 0}}")).isEqualTo(ok);
    assertThat(server.sessions.count()).isZero();
    assertThat(server.answer("{endSessions: [" + ID + "]}")).isEqualTo(ok);
    server.run("{refreshSessions: [" + ID + "]}");
    assertThat(server.answer("{killSessions: [" + ID + "]}")).isEqualTo(ok);
    server.run("{refreshSessions: [" + ID + "]}");
    assertThat(server.answer("{killAllSessions: [{user: 'u', db: 'd'}]}")).isEqualTo(ok);
    assertThat(server.sessions.count()).isEqualTo(1);
    assertThat(server.answer("{killAllSessions: []}")).isEqualTo(ok);
    assertThat(server.sessions.count()).isZero();
  }

  @Test
  void wrongListsAreRefused() {
    assertThat(server.error("{endSessions: 'x'}"))
        .isEqualTo(
            "14 TypeMismatch: BSON field 'endSessions.endSessions' is the wrong type 'string',"
                + " expected type 'array'");
    assertThat(server.error("{refreshSessions: 'x'}"))
        .isEqualTo(
            "14 TypeMismatch: BSON field 'refreshSessions.refreshSessions' is the wrong type"
                + " 'string', expected type 'array'");
    assertThat(server.error("{endSessions: [{}]}"))
        .startsWith(
            "40414 Location40414: BSON field 'endSessions.endSessionsFromClient.id' is missing");
  }
}
