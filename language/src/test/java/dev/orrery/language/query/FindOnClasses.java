package dev.orrery.language.query;

import dev.orrery.language.error.CommandException;
import dev.orrery.value.RawDocument;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** Answers find and count from filter, projection and sort alone, over a list of documents. */
final class FindOnClasses {
  private static final Set<String> FIND =
      Set.of(
          "$db",
          "batchSize",
          "collation",
          "comment",
          "filter",
          "find",
          "limit",
          "projection",
          "skip",
          "sort");
  private static final Set<String> COUNT =
      Set.of("$db", "collation", "comment", "count", "limit", "query", "skip");

  private final List<RawDocument> documents;

  FindOnClasses(List<BsonDocument> documents) {
    this.documents = documents.stream().map(RawDocument::of).toList();
  }

  /** Whether the command's answer depends on nothing but filter, projection and sort. */
  static boolean understands(BsonDocument command) {
    String name = command.getFirstKey();
    return (name.equals("find") ? FIND : COUNT).containsAll(command.keySet())
        && command.get(name).isString()
        && command.getString(name).getValue().matches("[a-z_]+")
        && !command.toString().contains("$where")
        && areDocuments(command, "filter", "query", "projection", "sort", "collation")
        && areNonNegative(command, "skip", "limit", "batchSize");
  }

  private static boolean areDocuments(BsonDocument command, String... names) {
    return List.of(names).stream()
        .allMatch(name -> !command.containsKey(name) || command.get(name).isDocument());
  }

  private static boolean areNonNegative(BsonDocument command, String... names) {
    return List.of(names).stream()
        .map(command::get)
        .allMatch(value -> value == null || (value.isInt32() && value.asInt32().getValue() >= 0));
  }

  /** The documents or the count, or code and message of the error. */
  BsonDocument answer(BsonDocument command) {
    try {
      return run(command);
    } catch (CommandException e) {
      return failure(e, "");
    }
  }

  private BsonDocument run(BsonDocument command) {
    var collation = Collation.parse(command.getDocument("collation", new BsonDocument()));
    var context = FilterContext.DEFAULT.withOrder(collation.order());
    boolean isCount = command.containsKey("count");
    var filter =
        FilterParser.parse(
            command.getDocument(isCount ? "query" : "filter", new BsonDocument()), context);
    var projection =
        Projection.parse(command.getDocument("projection", new BsonDocument()), filter, context);
    var sort = RawDocument.of(command.getDocument("sort", new BsonDocument()));
    boolean isNatural = SortPattern.isNatural(sort);
    var pattern = SortPattern.parse(isNatural ? RawDocument.EMPTY : sort, collation.order());
    try {
      var matching = window(command, sorted(matching(filter), pattern));
      return isCount
          ? new BsonDocument("n", new BsonInt32(matching.size()))
          : new BsonDocument("documents", projected(matching, projection));
    } catch (CommandException e) {
      return failure(e, "Executor error during find command :: caused by :: ");
    }
  }

  private List<RawDocument> matching(Filter filter) {
    return documents.stream().filter(filter::matches).toList();
  }

  private static List<RawDocument> sorted(List<RawDocument> found, SortPattern pattern) {
    record Keyed(byte[] key, RawDocument document) {}
    return found.stream()
        .map(document -> new Keyed(pattern.key(document), document))
        .sorted((left, right) -> Arrays.compareUnsigned(left.key(), right.key()))
        .map(Keyed::document)
        .toList();
  }

  private static List<RawDocument> window(BsonDocument command, List<RawDocument> found) {
    int skip = command.getInt32("skip", new BsonInt32(0)).getValue();
    int limit = command.getInt32("limit", new BsonInt32(0)).getValue();
    return found.stream().skip(skip).limit(limit == 0 ? Long.MAX_VALUE : limit).toList();
  }

  private static BsonArray projected(List<RawDocument> found, Projection projection) {
    var output = new BsonArray();
    found.forEach(document -> output.add(projection.apply(document).toBsonDocument()));
    return output;
  }

  private static BsonDocument failure(CommandException e, String prefix) {
    return new BsonDocument("code", new BsonInt32(e.code().number()))
        .append("errmsg", new BsonString(prefix + e.getMessage()));
  }

  /** The recorded answer, reduced to what {@link #answer} tells. */
  static BsonDocument expected(BsonDocument reply) {
    if (reply.containsKey("code")) {
      return new BsonDocument("code", reply.get("code")).append("errmsg", reply.get("errmsg"));
    }
    BsonValue cursor = reply.get("cursor");
    return cursor == null
        ? new BsonDocument("n", reply.get("n"))
        : new BsonDocument("documents", cursor.asDocument().get("firstBatch"));
  }
}
