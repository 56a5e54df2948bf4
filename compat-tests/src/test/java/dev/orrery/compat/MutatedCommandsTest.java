package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/**
 * Recorded commands with one thing changed at random. What MongoDB would answer is not known, but
 * there is an answer, on the same connection, and it does not say that the server is mistaken.
 * {@code -Dmutation.rounds=100} changes each command a hundred times, {@code -Dmutation.seed} each
 * in other ways.
 */
final class MutatedCommandsTest {
  private static final int INTERNAL_ERROR = 1;

  private final int rounds = Integer.getInteger("mutation.rounds", 1);
  private final Mutation mutation = new Mutation(new Random(Long.getLong("mutation.seed", 2026)));
  private final List<String> failures = new ArrayList<>();
  private int answers;

  @Test
  void everyCommandIsAnsweredWithoutAnInternalError() throws IOException {
    try (var server = PackagedServer.ephemeral();
        var client = new WireClient(server.port())) {
      new OracleReplay(client).loadData();
      for (int i = 0; i < rounds; i++) {
        for (String area : OracleReplay.AREAS) {
          for (Map<String, Object> one : OracleReplay.cases(area)) {
            run(client, one);
          }
        }
      }
    }
    assertThat(failures).isEmpty();
    assertThat(answers).isGreaterThan(rounds * 2_000);
  }

  private void run(WireClient client, Map<String, Object> one) throws IOException {
    if (!(one.get("command") instanceof Map<?, ?> command)) {
      return; // several commands, which share cursors
    }
    for (Object setup : OracleReplay.list(one.get("setup"))) {
      client.command(ExtendedJson.value(setup).asDocument());
    }
    BsonDocument changed = mutation.mutate(ExtendedJson.value(command).asDocument());
    if (changed.getFirstKey().equals("fsync")) {
      return; // may lock the server for good
    }
    check(changed, client.command(changed));
    client.command(
        new BsonDocument("dropDatabase", new BsonInt32(1)).append("$db", new BsonString("orc_X")));
  }

  private void check(BsonDocument command, BsonDocument reply) {
    answers++;
    boolean isMistaken = isInternal(reply);
    for (BsonValue error : reply.getArray("writeErrors", new BsonArray())) {
      isMistaken |= isInternal(error.asDocument());
    }
    if (isMistaken) {
      failures.add(command.toJson() + " " + reply.toJson());
    }
  }

  private static boolean isInternal(BsonDocument error) {
    return error.containsKey("code") && error.getNumber("code").intValue() == INTERNAL_ERROR;
  }
}
