package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.client.Template;
import dev.orrery.benchmarks.client.Traffic;
import dev.orrery.benchmarks.ycsb.Records;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** Inserts of many documents of 1 KB at a time, each with three short texts to be indexed. */
final class BulkTraffic implements Traffic {
  static final List<String> INDEXED = List.of("a", "b", "c");

  private static final String MARK = "indexed-";
  private static final int MARK_CHARACTERS = MARK.length() + 12;

  private final Template template;
  private final int[] keys;
  private final int[] values;
  private final SplittableRandom random = new SplittableRandom(7);
  private long next;

  BulkTraffic(String collection, int documents) {
    var batch = new ArrayList<BsonDocument>();
    for (int i = 0; i < documents; i++) {
      batch.add(document(i));
    }
    var command =
        new BsonDocument("insert", new BsonString(collection)).append("ordered", BsonBoolean.TRUE);
    template = Template.command(Loading.DATABASE, command, "documents", batch);
    keys = new int[documents];
    values = new int[documents * INDEXED.size()];
    findHoles();
  }

  private void findHoles() {
    int from = 0;
    for (int i = 0; i < keys.length; i++) {
      keys[i] = template.find(Records.key(i), from);
      from = keys[i];
      for (int field = 0; field < INDEXED.size(); field++) {
        int mark = template.find(MARK, from);
        values[i * INDEXED.size() + field] = mark + MARK.length();
        from = mark + MARK_CHARACTERS;
      }
    }
  }

  private static BsonDocument document(long number) {
    BsonDocument document = Records.document(number);
    for (String field : INDEXED) {
      document.append(field, new BsonString(MARK + "0".repeat(12)));
    }
    return document;
  }

  /** The size of one document. */
  static int documentBytes() {
    BsonDocument none = new BsonDocument("insert", new BsonString("c"));
    int with = Template.command(Loading.DATABASE, none, "documents", List.of(document(0))).length();
    return with - Template.command(Loading.DATABASE, none, "documents", List.of()).length();
  }

  @Override
  public int next(int connection, ByteBuffer message) {
    template.copyTo(message);
    for (int key : keys) {
      Records.putKey(message, key, next++);
    }
    for (int value : values) {
      Records.putDigits(message, value, random.nextInt(Integer.MAX_VALUE));
    }
    return 0;
  }

  @Override
  public int messageBytes() {
    return template.length();
  }
}
