package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.client.Template;
import dev.orrery.benchmarks.client.Traffic;
import dev.orrery.benchmarks.ycsb.KeyChooser;
import dev.orrery.benchmarks.ycsb.Mix;
import dev.orrery.benchmarks.ycsb.Records;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** Reads, updates, inserts and scans of records by their keys. */
final class YcsbTraffic implements Traffic {
  static final String COLLECTION = "usertable";
  private static final int LEAST_RECORD_BYTES = Records.FIELDS * Records.FIELD_CHARACTERS;

  private static final int LONGEST_SCAN = 100;
  private static final int LIMIT_MARK = 0x5AFE_11ED;
  private static final int NOTHING = -1;
  private static final int LEAST_REPLY_BYTES = 30;

  private final Mix mix;
  private final KeyChooser keys;
  private final AtomicLong records;
  private final SplittableRandom random;
  private final long[] toModify;
  private final int leastReadBytes;

  private final Template read = read();
  private final Template update = update();
  private final Template insert = insert();
  private final Template scan = scan();
  private final int readKey = read.find(Records.key(0));
  private final int updateKey = update.find(Records.key(0));
  private final int updateField = update.find("field0") + "field".length();
  private final int updateValue = update.find("000000000000abc");
  private final int insertKey = insert.find(Records.key(0));
  private final int scanKey = scan.find(Records.key(0));
  private final int scanLimit = scan.find(LIMIT_MARK);

  /**
   * @param records how many there are; grows with every insert
   */
  YcsbTraffic(
      Mix mix, KeyChooser keys, AtomicLong records, int connections, SplittableRandom random) {
    this.mix = mix;
    this.keys = keys;
    this.records = records;
    this.random = random;
    // A record whose insert is under way may be asked for, and not be there yet.
    leastReadBytes = mix.hasInserts() ? LEAST_REPLY_BYTES : LEAST_RECORD_BYTES;
    toModify = new long[connections];
    Arrays.fill(toModify, NOTHING);
  }

  @Override
  public int next(int connection, ByteBuffer message) {
    if (toModify[connection] != NOTHING) {
      int least = update(message, toModify[connection]);
      toModify[connection] = NOTHING;
      return least;
    }
    return switch (mix.operation(random.nextDouble())) {
      case READ -> read(message, key());
      case UPDATE -> update(message, key());
      case SCAN -> scan(message, key());
      case READ_MODIFY_WRITE -> read(message, toModify[connection] = key());
      case INSERT -> insert(message, records.getAndIncrement());
    };
  }

  private long key() {
    return keys.next(records.get());
  }

  private int read(ByteBuffer message, long key) {
    read.copyTo(message);
    Records.putKey(message, readKey, key);
    return leastReadBytes;
  }

  private int update(ByteBuffer message, long key) {
    update.copyTo(message);
    Records.putKey(message, updateKey, key);
    message.put(updateField, (byte) ('0' + random.nextInt(Records.FIELDS)));
    Records.putDigits(message, updateValue, random.nextInt(Integer.MAX_VALUE));
    return LEAST_REPLY_BYTES;
  }

  private int insert(ByteBuffer message, long key) {
    insert.copyTo(message);
    Records.putKey(message, insertKey, key);
    return LEAST_REPLY_BYTES;
  }

  private int scan(ByteBuffer message, long key) {
    scan.copyTo(message);
    Records.putKey(message, scanKey, key);
    message.putInt(scanLimit, 1 + random.nextInt(LONGEST_SCAN));
    return leastReadBytes;
  }

  @Override
  public int messageBytes() {
    return IntStream.of(read.length(), update.length(), insert.length(), scan.length())
        .max()
        .orElseThrow();
  }

  static BsonDocument readCommand() {
    return Loading.find(COLLECTION, new BsonDocument("_id", new BsonString(Records.key(0))), 1);
  }

  private static Template read() {
    return Template.command(Loading.DATABASE, readCommand());
  }

  private static Template update() {
    String value = "0".repeat(12) + "abc".repeat(Records.FIELD_CHARACTERS);
    var set = new BsonDocument("field0", text(value.substring(0, Records.FIELD_CHARACTERS)));
    var statement =
        new BsonDocument("q", new BsonDocument("_id", text(Records.key(0))))
            .append("u", new BsonDocument("$set", set));
    var command = new BsonDocument("update", text(COLLECTION)).append("ordered", BsonBoolean.TRUE);
    return Template.command(Loading.DATABASE, command, "updates", List.of(statement));
  }

  private static Template insert() {
    var command = new BsonDocument("insert", text(COLLECTION)).append("ordered", BsonBoolean.TRUE);
    return Template.command(Loading.DATABASE, command, "documents", List.of(Records.document(0)));
  }

  private static Template scan() {
    var from = new BsonDocument("_id", new BsonDocument("$gte", text(Records.key(0))));
    return Template.command(
        Loading.DATABASE,
        Loading.find(COLLECTION, from, LIMIT_MARK)
            .append("sort", new BsonDocument("_id", new BsonInt32(1))));
  }

  private static BsonString text(String value) {
    return new BsonString(value);
  }
}
