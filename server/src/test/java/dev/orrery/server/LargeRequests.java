package dev.orrery.server;

import static java.util.Map.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Requests that give every accumulator, window function, stage, filter and update operator large
 * values, many times over. They are made for {@link #document}, in the collection {@code big}.
 */
final class LargeRequests {
  private static final int ELEMENTS = 25_000;
  private static final int ROUNDS = 2_000;

  /** Fields of the document, by the kind of their values. */
  static final List<String> FIELDS = List.of("s", "a", "docs", "o", "in");

  private LargeRequests() {}

  /** A name of the language and the command that uses it. */
  record Named(String name, BsonDocument command) {}

  static BsonDocument document() {
    var numbers = new BsonArray();
    var documents = new BsonArray();
    var fields = new BsonDocument();
    for (int i = 0; i < ELEMENTS; i++) {
      numbers.add(new BsonInt32(i));
      documents.add(new BsonDocument("x", new BsonInt32(i)).append("y", new BsonString("y" + i)));
      fields.append("k" + i, new BsonInt32(i));
    }
    return new BsonDocument("_id", new BsonInt32(1))
        .append("n", new BsonInt32(1))
        .append("s", new BsonString("a".repeat(3 << 20)))
        .append("a", numbers)
        .append("docs", documents)
        .append("o", fields)
        .append("in", new BsonDocument("deep", new BsonArray(List.of(documents))));
  }

  private static BsonDocument aggregate(String stages) {
    return BsonDocument.parse("{aggregate: 'big', cursor: {}, pipeline: [" + stages + "]}");
  }

  private static String many(String stages) {
    return "{$set: {i: {$range: [0, %d]}}}, {$unwind: '$i'}, %s".formatted(ROUNDS, stages);
  }

  /** For each field F in a form; {@code NAME} is the name itself. */
  private static void each(List<Named> all, String name, String form, boolean isRepeated) {
    for (String field : form.contains("F") ? FIELDS : List.of("")) {
      String stages = form.replace("F", field).replace("NAME", name);
      all.add(new Named(name, aggregate(isRepeated ? many(stages) : stages)));
    }
  }

  private static final Map<String, String> ARGUMENTS =
      Map.ofEntries(
          entry("$bottom", "{sortBy: {F: 1}, output: '$F'}"),
          entry("$bottomN", "{sortBy: {F: 1}, output: '$F', n: 3}"),
          entry("$count", "{}"),
          entry("$covariancePop", "['$i', '$F']"),
          entry("$covarianceSamp", "['$i', '$F']"),
          entry("$denseRank", "{}"),
          entry("$derivative", "{input: '$i'}"),
          entry("$documentNumber", "{}"),
          entry("$expMovingAvg", "{input: '$i', N: 3}"),
          entry("$firstN", "{input: '$F', n: 3}"),
          entry("$integral", "{input: '$i'}"),
          entry("$lastN", "{input: '$F', n: 3}"),
          entry("$linearFill", "'$i'"),
          entry("$maxN", "{input: '$F', n: 3}"),
          entry("$median", "{input: '$F', method: 'approximate'}"),
          entry("$minN", "{input: '$F', n: 3}"),
          entry("$percentile", "{input: '$F', p: [0.5], method: 'approximate'}"),
          entry("$rank", "{}"),
          entry("$shift", "{output: '$F', by: 1}"),
          entry("$top", "{sortBy: {F: 1}, output: '$F'}"),
          entry("$topN", "{sortBy: {F: 1}, output: '$F', n: 3}"));

  private static final Set<String> WITHOUT_WINDOW =
      Set.of(
          "$denseRank",
          "$documentNumber",
          "$expMovingAvg",
          "$linearFill",
          "$locf",
          "$rank",
          "$shift");

  static List<Named> accumulators(Set<String> names) {
    var all = new ArrayList<Named>();
    for (String name : names) {
      String argument = ARGUMENTS.getOrDefault(name, "'$F'");
      each(all, name, "{$group: {_id: null, r: {NAME: " + argument + "}}}", true);
    }
    return all;
  }

  static List<Named> windowFunctions(Set<String> names) {
    var all = new ArrayList<Named>();
    for (String name : names) {
      String window = WITHOUT_WINDOW.contains(name) ? "" : ", window: {documents: [-5, 5]}";
      String call = "{NAME: " + ARGUMENTS.getOrDefault(name, "'$F'") + window + "}";
      each(all, name, "{$setWindowFields: {sortBy: {i: 1}, output: {r: " + call + "}}}", true);
    }
    return all;
  }

  private static String fields(String form) {
    return String.join(
        ",", IntStream.range(0, 20_000).mapToObj(i -> form.replace("N", "" + i)).toList());
  }

  private static final Map<String, List<String>> STAGES =
      Map.ofEntries(
          entry(
              "$_internalPackBuckets",
              List.of("{NAME: {timeField: 'F', spanSeconds: 9, roundingSeconds: 9}}")),
          entry(
              "$addFields",
              List.of("{NAME: {'docs.z': '$F'}}", "{NAME: {" + fields("kN: '$a'") + "}}")),
          entry("$bucket", List.of("{NAME: {groupBy: '$F', boundaries: [0, 9], default: 1}}")),
          entry("$bucketAuto", List.of("{NAME: {groupBy: '$F', buckets: 3}}")),
          entry("$changeStream", List.of("{NAME: {}}")),
          entry("$changeStreamSplitLargeEvent", List.of("{NAME: {}}")),
          entry("$collStats", List.of("{NAME: {count: {}}}")),
          entry("$count", List.of("{NAME: 'n'}")),
          entry("$currentOp", List.of("{NAME: {}}")),
          entry(
              "$densify",
              List.of(
                  "{NAME: {field: 'i', partitionByFields: ['F'], range: {step: 0.5, bounds:"
                      + " 'full'}}}")),
          entry("$documents", List.of("{NAME: [{a: 1}]}")),
          entry("$facet", List.of("{NAME: {f: [{$sortByCount: '$F'}], g: [{$sort: {F: 1}}]}}")),
          entry("$fill", List.of("{NAME: {partitionBy: '$F', output: {z: {value: '$F'}}}}")),
          entry("$geoNear", List.of("{NAME: {}}")),
          entry(
              "$graphLookup",
              List.of(
                  "{NAME: {from: 'big', startWith: '$F', connectFromField: 'F', connectToField:"
                      + " 'F', as: 'g'}}")),
          entry("$group", List.of("{NAME: {_id: '$F'}}", "{NAME: {_id: {$bsonSize: '$$ROOT'}}}")),
          entry("$indexStats", List.of("{NAME: {}}")),
          entry("$limit", List.of("{NAME: 100000}")),
          entry("$listLocalSessions", List.of("{NAME: {}}")),
          entry("$listSessions", List.of("{NAME: {}}")),
          entry(
              "$lookup",
              List.of("{NAME: {from: 'big', localField: 'F', foreignField: 'F', as: 'g'}}")),
          entry("$match", List.of("{NAME: {$expr: {$lt: ['$F', '$$ROOT.F']}}}")),
          entry("$merge", List.of("{$match: {F: 0}}, {NAME: 'other'}")),
          entry("$mergeCursors", List.of("{NAME: {}}")),
          entry("$out", List.of("{$match: {F: 0}}, {NAME: 'other'}")),
          entry("$planCacheStats", List.of("{NAME: {}}")),
          entry(
              "$project",
              List.of(
                  "{NAME: {'docs.z': '$F', F: 1}}",
                  "{NAME: {" + fields("'o.kN': 1") + "}}",
                  "{NAME: {" + fields("'docs.kN': 0") + "}}")),
          entry("$queue", List.of("{NAME: []}")),
          entry("$redact", List.of("{NAME: {$cond: [{$eq: ['$x', -1]}, '$$PRUNE', '$$DESCEND']}}")),
          entry("$replaceRoot", List.of("{NAME: {newRoot: {$mergeObjects: ['$o', {z: '$F'}]}}}")),
          entry("$replaceWith", List.of("{NAME: {$mergeObjects: ['$o', {z: '$F'}]}}")),
          entry("$sample", List.of("{NAME: {size: 3}}")),
          entry("$set", List.of("{NAME: {'docs.z': '$F'}}")),
          entry(
              "$setWindowFields",
              List.of("{NAME: {partitionBy: '$F', sortBy: {F: 1}, output: {r: {$sum: 1}}}}")),
          entry("$shardedDataDistribution", List.of("{NAME: {}}")),
          entry("$skip", List.of("{NAME: 100000}")),
          entry("$sort", List.of("{NAME: {F: 1, i: -1}}")),
          entry("$sortByCount", List.of("{NAME: '$F'}")),
          entry("$unionWith", List.of("{NAME: 'big'}")),
          entry("$unset", List.of("{NAME: 'docs.x'}", "{NAME: [" + fields("'o.kN'") + "]}")),
          entry("$unwind", List.of("{NAME: '$F'}")));

  static List<Named> stages() {
    var all = new ArrayList<Named>();
    STAGES.forEach(
        (name, forms) ->
            forms.forEach(
                form -> {
                  each(all, name, form, true);
                  each(all, name, form, false);
                }));
    return all;
  }

  private static BsonDocument find(String name, String path, BsonValue argument, int clauses) {
    var all = new BsonArray();
    for (int i = 0; i < clauses; i++) {
      var operator = new BsonDocument(name, argument);
      all.add(path == null ? operator : new BsonDocument(path, operator));
    }
    return new BsonDocument("find", new BsonString("big"))
        .append("filter", new BsonDocument("$nor", all))
        .append("projection", new BsonDocument("_id", new BsonInt32(1)));
  }

  private static BsonValue value(String json) {
    return BsonDocument.parse("{v: " + json + "}").get("v");
  }

  /** By operator: its path, or none, and its argument; {@code LIKE} is the start of the value. */
  private static final Map<String, List<String>> FILTERS =
      Map.ofEntries(
          entry("$all", List.of("docs", "LIKE")),
          entry("$alwaysFalse", List.of("", "1")),
          entry("$alwaysTrue", List.of("", "1")),
          entry("$and", List.of("", "[{'docs.x': -1}, {'docs.y': -1}]")),
          entry("$bitsAllClear", List.of("a", "[" + "0,".repeat(3000) + "1]")),
          entry("$bitsAllSet", List.of("a", "[" + "0,".repeat(3000) + "1]")),
          entry("$bitsAnyClear", List.of("a", "[" + "0,".repeat(3000) + "1]")),
          entry("$bitsAnySet", List.of("a", "[" + "0,".repeat(3000) + "70]")),
          entry("$comment", List.of("", "'c'")),
          entry("$db", List.of("", "'c'")),
          entry("$elemMatch", List.of("docs", "{x: -1, y: {$gt: 'y'}}")),
          entry("$eq", List.of("docs", "LIKE")),
          entry("$exists", List.of("docs.z", "true")),
          entry("$expr", List.of("", "{$gt: ['$s', {$concat: ['$s', 'b']}]}")),
          entry("$gt", List.of("docs", "LIKE")),
          entry("$gte", List.of("docs", "LIKE")),
          entry("$id", List.of("", "1")),
          entry("$in", List.of("docs", "[LIKE]")),
          entry("$jsonSchema", List.of("", "{properties: {docs: {uniqueItems: false}}}")),
          entry("$lt", List.of("docs", "LIKE")),
          entry("$lte", List.of("docs", "LIKE")),
          entry("$mod", List.of("docs.x", "[100000, 99999]")),
          entry("$ne", List.of("docs", "LIKE")),
          entry("$nin", List.of("docs", "[LIKE]")),
          entry("$nor", List.of("", "[{'docs.x': 1}]")),
          entry("$not", List.of("docs", "{$gt: LIKE}")),
          entry("$options", List.of("s", "'i'")),
          entry("$or", List.of("", "[{'docs.x': -1}, {'docs.y': -1}]")),
          entry("$ref", List.of("", "'c'")),
          entry("$regex", List.of("s", "'(a|aa)+b'")),
          entry("$sampleRate", List.of("", "0.0")),
          entry("$size", List.of("docs.y", "3")),
          entry("$type", List.of("docs.x", "'string'")));

  static Set<String> filterNames() {
    return FILTERS.keySet();
  }

  static List<Named> filters() {
    var all = new ArrayList<Named>();
    String like =
        "["
            + String.join(
                ",",
                IntStream.range(0, 1500)
                    .mapToObj(i -> "{x: %d, y: 'y%d'}".formatted(i, i))
                    .toList())
            + "]";
    FILTERS.forEach(
        (name, form) -> {
          String path = form.get(0).isEmpty() ? null : form.get(0);
          BsonValue argument = value(form.get(1).replace("LIKE", like));
          all.add(new Named(name, find(name, path, argument, 250)));
        });
    return all;
  }

  private static BsonDocument update(BsonDocument operators) {
    var one =
        new BsonDocument("q", new BsonDocument("_id", new BsonInt32(1))).append("u", operators);
    return new BsonDocument("update", new BsonString("big"))
        .append("updates", new BsonArray(List.of(one)));
  }

  /** By operator: the form of one path, and its argument. */
  private static final Map<String, List<String>> UPDATES =
      Map.ofEntries(
          entry("$addToSet", List.of("docs", "{$each: LIKE}")),
          entry("$bit", List.of("a.N", "{xor: 1}")),
          entry("$currentDate", List.of("docs.N.at", "true")),
          entry("$inc", List.of("docs.N.x", "1")),
          entry("$max", List.of("docs.N.x", "1e9")),
          entry("$min", List.of("docs.N.x", "-1")),
          entry("$mul", List.of("docs.N.x", "2")),
          entry("$pop", List.of("docs.N.z", "1")),
          entry("$pull", List.of("docs", "{y: {$in: [LIKE]}}")),
          entry("$pullAll", List.of("docs", "LIKE")),
          entry("$push", List.of("docs", "{$each: LIKE, $sort: {y: -1, x: 1}}")),
          entry("$rename", List.of("o.kN", "'p.kN'")),
          entry("$set", List.of("docs.N.zN", "1")),
          entry("$setOnInsert", List.of("docs.N.zN", "1")),
          entry("$unset", List.of("docs.N", "1")));

  static Set<String> updateNames() {
    return UPDATES.keySet();
  }

  static List<Named> updates() {
    var all = new ArrayList<Named>();
    var like = new BsonArray();
    IntStream.range(0, 60_000).forEach(i -> like.add(new BsonDocument("x", new BsonInt32(-i))));
    UPDATES.forEach(
        (name, form) -> {
          var paths = new BsonDocument();
          if (form.get(0).contains("N")) {
            for (int i = 0; i < 60_000; i++) {
              paths.append(
                  form.get(0).replace("N", "" + i), value(form.get(1).replace("N", "" + i)));
            }
          } else {
            paths.append(form.get(0), replaced(value(form.get(1).replace("LIKE", "'LIKE'")), like));
          }
          all.add(new Named(name, update(new BsonDocument(name, paths))));
        });
    return all;
  }

  private static BsonValue replaced(BsonValue value, BsonArray like) {
    if (value.equals(new BsonString("LIKE"))) {
      return like;
    }
    if (value instanceof BsonDocument document) {
      document.replaceAll((name, field) -> replaced(field, like));
    } else if (value instanceof BsonArray array) {
      array.replaceAll(element -> replaced(element, like));
    }
    return value;
  }
}
