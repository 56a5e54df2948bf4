package dev.orrery.server.command.data;

import dev.orrery.language.query.Collation;
import dev.orrery.language.query.SortPattern;
import dev.orrery.server.command.AwaitedReply;
import dev.orrery.server.command.DataFixture;
import dev.orrery.server.command.Dispatcher;
import dev.orrery.server.command.Request;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The same documents twice, with and without indexes; commands must not tell them apart. */
final class TwinCollections {
  private static final String INDEXED = "indexed";
  private static final String PLAIN = "plain";
  private static final Set<String> READS = Set.of("find", "count", "distinct", "aggregate");
  private static final BsonDocument NATURAL = BsonDocument.parse("{$natural: 1}");
  private static final BsonValue MANY = new BsonInt32(100_000);

  /** What there is before a command. */
  record Setting(
      List<BsonDocument> documents,
      List<BsonDocument> indexes,
      int partitions,
      boolean isIndexedLast) {}

  private final DataFixture data;
  private final Dispatcher dispatcher;
  private final Set<String> incomplete = new HashSet<>();

  TwinCollections(DataFixture data, Setting setting) {
    this.data = data;
    this.dispatcher = data.commands.dispatcher();
    create(INDEXED, setting.partitions);
    create(PLAIN, setting.partitions);
    if (!setting.isIndexedLast) {
      setting.indexes.forEach(this::createIndex);
    }
    insert(INDEXED, setting.documents);
    insert(PLAIN, documents(INDEXED)); // without what an index refused
    if (setting.isIndexedLast) {
      setting.indexes.forEach(this::createIndex);
    }
  }

  private void create(String name, int partitions) {
    run(new BsonDocument("drop", new BsonString(name)));
    data.engine.create(
        new Namespace("test", name),
        new CollectionInfo.Creation(
            new BsonDocument(),
            partitions == 1 ? null : "k",
            List.of(IndexSpec.idIndex()),
            partitions,
            new BsonDocument()));
  }

  /** An index that may not be, or does not take all documents, is not there. */
  private void createIndex(BsonDocument index) {
    if (index.containsKey("sparse") || index.containsKey("partialFilterExpression")) {
      incomplete.add(index.getString("name").getValue());
    }
    run(
        new BsonDocument("createIndexes", new BsonString(INDEXED))
            .append("indexes", new BsonArray(List.of(index))));
  }

  private void insert(String name, List<BsonDocument> documents) {
    if (!documents.isEmpty()) {
      run(
          new BsonDocument("insert", new BsonString(name))
              .append("documents", new BsonArray(documents))
              .append("ordered", BsonBoolean.FALSE));
    }
  }

  private BsonDocument run(BsonDocument command) {
    RawDocument body = RawDocument.of(command.append("$db", new BsonString("test")));
    return AwaitedReply.of(dispatcher, Request.message(data.commands.connection, body, List.of()));
  }

  /** The indexes that are really there, beside that on {@code _id}. */
  List<BsonDocument> indexes() {
    var indexes = new ArrayList<BsonDocument>();
    BsonDocument list = new BsonDocument("listIndexes", new BsonString(INDEXED));
    for (BsonValue index : batch(run(list))) {
      if (!index.asDocument().getString("name").getValue().equals("_id_")) {
        indexes.add(index.asDocument());
      }
    }
    return indexes;
  }

  List<BsonDocument> documents() {
    return documents(INDEXED);
  }

  private List<BsonDocument> documents(String name) {
    return found(
        run(
            new BsonDocument("find", new BsonString(name))
                .append("hint", NATURAL)
                .append("batchSize", MANY)));
  }

  private static BsonArray batch(BsonDocument reply) {
    return reply.getDocument("cursor").getArray("firstBatch");
  }

  private static List<BsonDocument> found(BsonDocument reply) {
    return batch(reply).stream()
        .map(one -> RawDocument.of(one.asDocument()).toBsonDocument())
        .toList();
  }

  /** How the answers to a command differ; null when they do not. */
  @Nullable String difference(BsonDocument command) {
    return switch (command.getFirstKey()) {
      case "find" -> command.containsKey("projection") ? ofProjection(command) : ofFind(command);
      case "count" -> ofCount(command);
      case "distinct" -> ofDistinct(command);
      case "aggregate" -> ofAggregate(command);
      default -> ofWrite(command);
    };
  }

  static boolean isRead(BsonDocument command) {
    return READS.contains(command.getFirstKey());
  }

  private BsonDocument on(String name, BsonDocument command) {
    var changed = new BsonDocument(command.getFirstKey(), new BsonString(name));
    command.forEach(
        (key, value) -> {
          if (!key.equals(command.getFirstKey())) {
            changed.append(key, value);
          }
        });
    if (name.equals(PLAIN) && !command.getFirstKey().equals("distinct")) {
      changed.remove("hint");
      boolean isWithUpdates = command.containsKey("updates") || command.containsKey("deletes");
      if (!isWithUpdates) {
        changed.append("hint", NATURAL);
      }
    }
    return changed;
  }

  /** Whether the hint names an index that leaves documents out. */
  private boolean isIncomplete(BsonDocument command) {
    return incomplete.contains(command.getString("hint", new BsonString("")).getValue());
  }

  private static boolean isOk(BsonDocument reply) {
    return reply.getNumber("ok").intValue() == 1;
  }

  private static int code(BsonDocument reply) {
    return reply.getInt32("code", new BsonInt32(0)).getValue();
  }

  private static @Nullable String ofErrors(BsonDocument expected, BsonDocument got) {
    boolean isWithoutPlan = !isOk(got) && (code(got) == 291 || isBadHint(got));
    boolean isUnsortable =
        !isOk(expected) && expected.getString("errmsg").getValue().contains("parallel arrays");
    boolean isSame = isOk(expected) == isOk(got) && code(expected) == code(got);
    return isSame || isWithoutPlan || isUnsortable ? null : "expected " + expected + ", got " + got;
  }

  private static boolean isBadHint(BsonDocument reply) {
    return reply.getString("errmsg").getValue().contains("hint provided does not correspond");
  }

  private @Nullable String ofFind(BsonDocument command) {
    BsonDocument whole = on(PLAIN, command);
    whole.remove("skip");
    whole.remove("limit");
    BsonDocument expected = run(whole.append("batchSize", MANY));
    BsonDocument got = run(on(INDEXED, command).append("batchSize", MANY));
    if (!isOk(expected) || !isOk(got)) {
      return ofErrors(expected, got);
    }
    List<BsonDocument> all = found(expected);
    List<BsonDocument> some = found(got);
    int skip = Math.min(all.size(), command.getInt32("skip", new BsonInt32(0)).getValue());
    int limit = command.getInt32("limit", new BsonInt32(0)).getValue();
    int rest = all.size() - skip;
    int wanted = limit == 0 ? rest : Math.min(rest, limit);
    boolean isCounted = isIncomplete(command) || some.size() == wanted;
    boolean isPart = new HashSet<>(all).containsAll(some) && isDistinct(some);
    if (!isCounted || !isPart) {
      return "expected %d of %s, got %s".formatted(wanted, all, some);
    }
    return command.containsKey("sort") && !isIncomplete(command)
        ? ofOrder(command, all.subList(skip, all.size()), some)
        : null;
  }

  private static boolean isDistinct(List<BsonDocument> documents) {
    return new HashSet<>(documents).size() == documents.size();
  }

  private static @Nullable String ofOrder(
      BsonDocument command, List<BsonDocument> all, List<BsonDocument> some) {
    Collation collation =
        command.containsKey("collation")
            ? Collation.parse(command.getDocument("collation"))
            : Collation.SIMPLE;
    var sort = SortPattern.parse(RawDocument.of(command.getDocument("sort")), collation.order());
    for (int i = 0; i < some.size(); i++) {
      byte[] wanted = sort.key(RawDocument.of(all.get(i)));
      if (!Arrays.equals(wanted, sort.key(RawDocument.of(some.get(i))))) {
        return "row %d: expected %s, got %s".formatted(i, all, some);
      }
    }
    return null;
  }

  private @Nullable String ofProjection(BsonDocument command) {
    boolean hasWindow = command.containsKey("skip") || command.containsKey("limit");
    boolean isTotal = command.getDocument("sort", new BsonDocument()).containsKey("_id");
    if (hasWindow && (!isTotal || isIncomplete(command))) {
      return null; // many answers are right
    }
    BsonDocument expected = run(on(PLAIN, command).append("batchSize", MANY));
    BsonDocument got = run(on(INDEXED, command).append("batchSize", MANY));
    if (!isOk(expected) || !isOk(got)) {
      return ofErrors(expected, got);
    }
    return ofLists(command, withoutNulls(found(expected)), withoutNulls(found(got)));
  }

  private @Nullable String ofLists(BsonDocument command, List<String> expected, List<String> got) {
    var left = new ArrayList<>(expected);
    var right = new ArrayList<>(got);
    if (!command.containsKey("sort") && !command.containsKey("pipeline")) {
      left.sort(null);
      right.sort(null);
    }
    boolean isSame = isIncomplete(command) ? left.containsAll(right) : left.equals(right);
    return isSame ? null : "expected " + left + ", got " + right;
  }

  /**
   * A covered field that the document lacks comes out as null, and fields come in the order of the
   * index, as MongoDB has it.
   */
  private static List<String> withoutNulls(List<BsonDocument> documents) {
    return documents.stream().map(one -> withoutNulls(one).toJson(IndexAnswersTest.EXACT)).toList();
  }

  private static BsonDocument withoutNulls(BsonDocument document) {
    var rest = new BsonDocument();
    new TreeMap<>(document)
        .forEach(
            (name, value) -> {
              BsonValue kept = value.isDocument() ? withoutNulls(value.asDocument()) : value;
              boolean isEmpty = kept.isDocument() && kept.asDocument().isEmpty();
              if (!kept.isNull() && !isEmpty) {
                rest.append(name, kept);
              }
            });
    return rest;
  }

  private @Nullable String ofCount(BsonDocument command) {
    if (isIncomplete(command) && command.containsKey("skip")) {
      return null;
    }
    BsonDocument expected = run(on(PLAIN, command));
    BsonDocument got = run(on(INDEXED, command));
    if (!isOk(expected) || !isOk(got)) {
      return ofErrors(expected, got);
    }
    int left = expected.getNumber("n").intValue();
    int right = got.getNumber("n").intValue();
    boolean isSame = isIncomplete(command) ? right <= left : right == left;
    return isSame ? null : "expected n: " + left + ", got n: " + right;
  }

  private @Nullable String ofDistinct(BsonDocument command) {
    BsonDocument expected = run(on(PLAIN, command));
    BsonDocument got = run(on(INDEXED, command));
    if (!isOk(expected) || !isOk(got)) {
      return ofErrors(expected, got);
    }
    var order = BsonOrder.CANONICAL;
    var left = new TreeSet<BsonValue>(order::compare);
    var right = new TreeSet<BsonValue>(order::compare);
    left.addAll(expected.getArray("values"));
    right.addAll(got.getArray("values"));
    if (right.contains(BsonNull.VALUE)) {
      left.add(BsonNull.VALUE); // for a missing field, as MongoDB has it
    }
    boolean isSame = left.size() == right.size() && left.containsAll(right);
    return isSame || command.containsKey("collation")
        ? null
        : "expected " + left + ", got " + right;
  }

  private @Nullable String ofAggregate(BsonDocument command) {
    if (!command.toJson().contains("\"_id\": 1") && !command.toJson().contains("\"_id\": -1")) {
      return null; // many orders are right
    }
    BsonDocument expected = run(on(PLAIN, command));
    BsonDocument got = run(on(INDEXED, command));
    if (!isOk(expected) || !isOk(got)) {
      return ofErrors(expected, got);
    }
    return ofLists(command, withoutNulls(found(expected)), withoutNulls(found(got)));
  }

  private @Nullable String ofWrite(BsonDocument command) {
    if (command.containsKey("sort") && !command.getDocument("sort").containsKey("_id")) {
      return null; // which document is changed is open
    }
    BsonDocument got = run(on(INDEXED, command));
    if (!isOk(got) || got.containsKey("writeErrors")) {
      resynchronize(); // refused by an index, some documents may be changed
      return null;
    }
    BsonDocument expected = run(on(PLAIN, command));
    String difference = null;
    if (!isOk(expected) || expected.containsKey("writeErrors")) {
      difference = "expected " + expected + ", got " + got;
    } else if (!expected.get("n", MANY).equals(got.get("n", MANY))
        || !String.valueOf(expected.get("value")).equals(String.valueOf(got.get("value")))) {
      difference = "expected " + expected + ", got " + got;
    } else {
      difference = ofContents();
    }
    return difference;
  }

  private @Nullable String ofContents() {
    List<String> left = documents(PLAIN).stream().map(BsonDocument::toJson).sorted().toList();
    List<String> right = documents(INDEXED).stream().map(BsonDocument::toJson).sorted().toList();
    return left.equals(right) ? null : "left with " + left + ", got " + right;
  }

  private void resynchronize() {
    run(BsonDocument.parse("{delete: '" + PLAIN + "', deletes: [{q: {}, limit: 0}]}"));
    insert(PLAIN, documents(INDEXED));
  }

  /** What validate finds wrong; null for nothing. */
  @Nullable String fault() {
    BsonDocument reply = run(new BsonDocument("validate", new BsonString(INDEXED)));
    return isOk(reply) && reply.getBoolean("valid").getValue() ? null : reply.toJson();
  }
}
