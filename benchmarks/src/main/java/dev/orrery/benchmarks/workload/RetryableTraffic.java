package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.client.Template;
import dev.orrery.benchmarks.client.Traffic;
import dev.orrery.benchmarks.ycsb.Records;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.bson.BsonBinary;
import org.bson.BsonBinarySubType;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * Inserts of one document of 1 KB each, as drivers send them by default: in a session for each
 * connection, with a number that grows with each write. Or without both.
 */
final class RetryableTraffic implements Traffic {
  /** Bytes that are found in the template, where a session's id goes. */
  private static final String SESSION = "session-of-16-by";

  /** A number that is found there too. */
  private static final int NUMBER = 0x5E0A_11B3;

  private final boolean isRetryable;
  private final Template template;
  private final int key;
  private final int session;
  private final int number;
  private final SplittableRandom random;
  private final byte[][] sessions;
  private final int[] numbers;
  private long next;

  RetryableTraffic(String collection, int connections, boolean isRetryable) {
    this.isRetryable = isRetryable;
    this.random = new SplittableRandom(connections + (isRetryable ? 1_000L : 0));
    var command = new BsonDocument("insert", new BsonString(collection));
    if (isRetryable) {
      byte[] bytes = SESSION.getBytes(StandardCharsets.US_ASCII);
      command
          .append(
              "lsid",
              new BsonDocument("id", new BsonBinary(BsonBinarySubType.UUID_STANDARD, bytes)))
          .append("txnNumber", new BsonInt64(NUMBER));
    }
    this.template =
        Template.command(Loading.DATABASE, command, "documents", List.of(Records.document(0)));
    this.key = template.find(Records.key(0));
    this.session = isRetryable ? template.find(SESSION) : 0;
    this.number = isRetryable ? template.find(NUMBER) : 0;
    this.sessions = new byte[connections][SESSION.length()];
    for (byte[] id : sessions) {
      random.nextBytes(id);
    }
    this.numbers = new int[connections];
  }

  @Override
  public int next(int connection, ByteBuffer message) {
    template.copyTo(message);
    Records.putKey(message, key, next++);
    if (isRetryable) {
      message.put(session, sessions[connection]);
      message.putInt(number, ++numbers[connection]);
    }
    return 0;
  }

  @Override
  public int messageBytes() {
    return template.length();
  }
}
