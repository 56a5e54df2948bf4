package dev.orrery.server;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Requests that take far longer than anybody waits, one for each kind of loop in the language. Each
 * spends its time in that loop: what stands around it goes round less often than there are steps
 * between two looks at the clock.
 *
 * @param command on the database {@code test}, where {@link #SETUP} has run
 */
record EndlessRequests(String name, String command) {
  private static final int ROUNDS = 250;

  /** What the requests read. */
  static final List<String> SETUP =
      List.of(
          "{insert: 'c', documents: ["
              + IntStream.range(0, 400)
                  .mapToObj(i -> "{_id: %d, g: %d, at: {$date: %d}}".formatted(i, i % 2, i * 1000L))
                  .collect(Collectors.joining(","))
              + "]}",
          "{insert: 'big', documents: [{_id: 1, a: ["
              + IntStream.range(0, 20_000).mapToObj(Integer::toString).collect(csv())
              + "], d: ["
              + IntStream.range(0, 20_000).mapToObj(i -> "{x: " + i + "}").collect(csv())
              + "]}]}",
          "{create: 'checked', validator: {$expr: " + LOOPS() + "}}",
          "{create: 'endless', viewOn: 'c', pipeline: [{$match: {$expr: " + LOOPS() + "}}]}");

  private static java.util.stream.Collector<CharSequence, ?, String> csv() {
    return Collectors.joining(",");
  }

  private static String LOOPS() {
    return "{$gt: [{$size: {$map: {input: {$range: [0, 100000]}, in: {$size: {$map: {input:"
        + " {$range: [0, 100000]}, as: 'i', in: 1}}}}}}, 0]}";
  }

  private static final String DOUBLED =
      "{$reduce: {input: {$range: [0, %d]}, initialValue: %s, in: {$concat: ['$$value',"
          + " '$$value']}}}";
  private static final String TREE =
      "{$reduce: {input: {$range: [0, 45]}, initialValue: 1, in: ['$$value', '$$value']}}";

  static Stream<EndlessRequests> all() {
    return Stream.of(expressions(), strings(), stages(), commands(), filters(), shapes())
        .flatMap(List::stream);
  }

  /** Evaluates the expression some times; {@code $$a} is a long array, {@code $$i} changes. */
  private static EndlessRequests computed(String name, String expression) {
    return within(name, "a: {$range: [0, 300000]}", expression);
  }

  private static EndlessRequests within(String name, String variables, String expression) {
    return new EndlessRequests(
        name,
        """
        {aggregate: 'c', cursor: {}, pipeline: [{$limit: 1}, {$project: {x: {$let: {vars: {%s}, in:
          {$size: {$map: {input: {$range: [0, %d]}, as: 'i', in: {$type: %s}}}}}}}}]}
        """
            .formatted(variables, ROUNDS, expression));
  }

  private static List<EndlessRequests> expressions() {
    return List.of(
        computed("$map", "{$map: {input: '$$a', in: 1}}"),
        computed("$filter", "{$filter: {input: '$$a', cond: false}}"),
        computed("$reduce", "{$reduce: {input: '$$a', initialValue: 0, in: '$$this'}}"),
        computed("$zip", "{$zip: {inputs: ['$$a', '$$a']}}"),
        computed("$range", "{$range: [{$multiply: ['$$i', 0]}, 300000]}"),
        computed("$sortArray", "{$sortArray: {input: '$$a', sortBy: -1}}"),
        computed("$minN", "{$minN: {input: '$$a', n: 2}}"),
        computed("$setUnion", "{$setUnion: ['$$a', ['$$i']]}"),
        computed("$setIntersection", "{$setIntersection: ['$$a', '$$a']}"),
        computed("$setDifference", "{$setDifference: ['$$a', ['$$i']]}"),
        computed("$setEquals", "{$setEquals: ['$$a', '$$a']}"),
        computed("$setIsSubset", "{$setIsSubset: ['$$a', '$$a']}"),
        computed("$in", "{$in: [-1, '$$a']}"),
        computed("$indexOfArray", "{$indexOfArray: ['$$a', -1]}"),
        computed("$sum", "{$add: [{$sum: '$$a'}, {$avg: '$$a'}, {$stdDevPop: '$$a'}]}"),
        computed("$max", "{$max: '$$a'}"),
        computed("$median", "{$median: {input: '$$a', method: 'approximate'}}"),
        computed("$concatArrays", "{$concatArrays: ['$$a', '$$a', ['$$i']]}"),
        computed("$reverseArray", "{$slice: [{$reverseArray: '$$a'}, 5, 300000]}"),
        computed("$allElementsTrue", "{$allElementsTrue: [{$slice: ['$$a', 1, 300000]}]}"),
        computed(
            "$arrayToObject",
            "{$arrayToObject: {$map: {input: {$slice: ['$$a', 1000]}, in: {k: {$toString:"
                + " '$$this'}, v: '$$a'}}}}"),
        within(
            "$mergeObjects",
            "d: {$map: {input: {$range: [0, 300000]}, in: '$$ROOT'}}",
            "{$mergeObjects: '$$d'}"),
        within(
            "a path into an array",
            "d: {$map: {input: {$range: [0, 300000]}, in: '$$ROOT'}}",
            "'$$d.g'"),
        within(
            "$eq of a value that holds itself often",
            "l: " + TREE + ", r: " + TREE,
            "{$eq: ['$$l', '$$r']}"),
        within(
            "$switch",
            "x: 1",
            "{$switch: {branches: ["
                + IntStream.range(0, 20_000)
                    .mapToObj(i -> "{case: {$eq: ['$$i', %d]}, then: 1}".formatted(-1 - i))
                    .collect(csv())
                + "], default: 2}}"),
        new EndlessRequests(
            "constants that are computed ahead",
            "{aggregate: 'c', cursor: {}, pipeline: [{$project: {x: ["
                + IntStream.range(0, 40)
                    .mapToObj(
                        i -> "{$size: {$setUnion: [{$range: [0, %d]}]}}".formatted(300000 + i))
                    .collect(csv())
                + "]}}]}"));
  }

  private static List<EndlessRequests> strings() {
    String text = "s: " + DOUBLED.formatted(21, "'a'");
    String pair = text + ", n: {$concat: [" + DOUBLED.formatted(20, "'a'") + ", 'b']}";
    return List.of(
        within("$indexOfBytes", pair, "{$indexOfBytes: ['$$s', '$$n']}"),
        within("$indexOfCP", pair, "{$indexOfCP: ['$$s', '$$n']}"),
        within("$split", pair, "{$split: ['$$s', '$$n']}"),
        within("$replaceAll", pair, "{$replaceAll: {input: '$$s', find: '$$n', replacement: ''}}"),
        within("$replaceOne", pair, "{$replaceOne: {input: '$$s', find: '$$n', replacement: ''}}"),
        within(
            "$trim",
            text + ", n: {$concat: [" + DOUBLED.formatted(20, "'b'") + ", 'a']}",
            "{$trim: {input: '$$s', chars: '$$n'}}"),
        within("$concat", text, "{$strLenBytes: {$concat: ['$$s', '$$s', {$toString: '$$i'}]}}"),
        within("$toUpper", text, "{$strcasecmp: [{$toUpper: '$$s'}, {$toLower: '$$s'}]}"),
        within("$substrCP", text, "{$substrCP: ['$$s', '$$i', 2000000]}"),
        within("$regexFindAll", text, "{$regexFindAll: {input: '$$s', regex: 'b'}}"),
        within(
            "$regexMatch that turns back",
            "s: {$substrCP: [" + DOUBLED.formatted(14, "'a'") + ", 0, 8000]}",
            "{$regexMatch: {input: '$$s', regex: 'a*b'}}"));
  }

  private static EndlessRequests pipeline(String name, String stages) {
    return new EndlessRequests(
        name, "{aggregate: 'c', cursor: {}, pipeline: [" + stages + "], allowDiskUse: true}");
  }

  private static List<EndlessRequests> stages() {
    String lookup = "{$lookup: {from: 'c', as: '%s', pipeline: []}}, {$unwind: '$%s'}";
    String many = lookup.formatted("x", "x") + "," + lookup.formatted("y", "y");
    String numbers = "{$limit: 1}, {$project: {n: {$range: [0, 200000]}}}, {$unwind: '$n'}";
    return List.of(
        pipeline("$lookup and $unwind", many + ", {$count: 'n'}"),
        pipeline(
            "$unwind",
            numbers + ", {$set: {m: {$range: [0, 500]}}}, {$unwind: '$m'}," + " {$match: {m: -1}}"),
        pipeline("$group", many + ", {$group: {_id: '$x._id', n: {$sum: 1}}}"),
        pipeline("$group on disk", many + ", {$group: {_id: {x: '$x', y: '$y', i: '$_id'}}}"),
        pipeline("$sort", many + ", {$sort: {'y.at': -1}}"),
        pipeline("$sort with a limit", many + ", {$sort: {'y.at': -1}}, {$limit: 3}"),
        pipeline("$skip", many + ", {$skip: 100000000}"),
        pipeline("$sample", many + ", {$sample: {size: 3}}"),
        pipeline(
            "$facet",
            "{$facet: {f: ["
                + lookup.formatted("x", "x")
                + ", "
                + lookup.formatted("y", "y")
                + ", {$match: {y: 1}}]}}"),
        pipeline("$unionWith", many + ", {$match: {y: 1}}, {$unionWith: 'c'}"),
        pipeline("$bucketAuto", many + ", {$bucketAuto: {groupBy: '$y._id', buckets: 3}}"),
        pipeline("$redact", many + ", {$redact: '$$PRUNE'}"),
        pipeline(
            "$graphLookup",
            "{$graphLookup: {from: 'c', startWith: '$g', connectFromField: '_id',"
                + " connectToField: 'g', as: 'x', restrictSearchWithMatch: {$expr: "
                + LOOPS()
                + "}}}"),
        pipeline(
            "$setWindowFields over documents",
            numbers
                + ", {$setWindowFields: {sortBy: {n: 1}, output: {m: {$stdDevPop: '$n', window:"
                + " {documents: [-9000, 9000]}}}}}, {$match: {m: -1}}"),
        pipeline(
            "$setWindowFields over a range",
            numbers
                + ", {$setWindowFields: {sortBy: {n: 1}, output: {m: {$max: '$n', window:"
                + " {range: [-9000, 9000]}}}}}, {$match: {m: -1}}"),
        pipeline(
            "$integral",
            numbers
                + ", {$setWindowFields: {sortBy: {n: 1}, output: {m: {$integral: {input: '$n'},"
                + " window: {range: [-9000, 9000]}}}}}, {$match: {m: -1}}"),
        pipeline(
            "$densify",
            many
                + ", {$limit: 3000000}, {$densify: {field: 'n', range: {step: 1, bounds: [0,"
                + " 499999]}}}, {$match: {n: -1}}"),
        pipeline(
            "$fill",
            many
                + ", {$fill: {sortBy: {'y.at': 1}, output: {z: {value: 1}}}},"
                + " {$match: {z: 2}}"),
        pipeline("$merge", many + ", {$match: {y: 1}}, {$merge: 'merged'}"),
        pipeline("$out", many + ", {$match: {y: 1}}, {$out: 'out'}"));
  }

  private static List<EndlessRequests> commands() {
    String filter = "{$expr: " + LOOPS() + "}";
    return List.of(
        new EndlessRequests("find", "{find: 'c', filter: " + filter + "}"),
        new EndlessRequests(
            "find by primary key", "{find: 'c', filter: {_id: 1, $expr: " + LOOPS() + "}}"),
        new EndlessRequests(
            "find with a projection",
            "{find: 'c', filter: {_id: 1}, projection: {x: " + LOOPS() + "}}"),
        new EndlessRequests("find on a view", "{find: 'endless'}"),
        new EndlessRequests("count", "{count: 'c', query: " + filter + "}"),
        new EndlessRequests("distinct", "{distinct: 'c', key: 'g', query: " + filter + "}"),
        new EndlessRequests("insert", "{insert: 'checked', documents: [{a: 1}]}"),
        new EndlessRequests(
            "update", "{update: 'c', updates: [{q: " + filter + ", u: {$set: {a: 1}}}]}"),
        new EndlessRequests(
            "update by a pipeline",
            "{update: 'c', updates: [{q: {_id: 1}, u: [{$set: {a: " + LOOPS() + "}}]}]}"),
        new EndlessRequests("delete", "{delete: 'c', deletes: [{q: " + filter + ", limit: 1}]}"),
        new EndlessRequests(
            "findAndModify", "{findAndModify: 'c', query: " + filter + ", remove: true}"),
        new EndlessRequests(
            "explain",
            "{explain: {find: 'c', filter: " + filter + "}, verbosity: 'executionStats'}"),
        new EndlessRequests(
            "explain of a pipeline",
            "{explain: {aggregate: 'c', cursor: {}, pipeline: [{$match: "
                + filter
                + "}]}, verbosity: 'executionStats'}"));
  }

  /** Conditions times elements. */
  /** Teeth of a comb are long and close together, so that each is compared with all. */
  private static List<EndlessRequests> shapes() {
    String comb =
        IntStream.range(0, 40_000)
            .mapToObj(i -> "[%s, %d]".formatted(i * 1e-4, i % 2 * 5))
            .collect(csv());
    String polygon =
        "{type: 'Polygon', coordinates: [[%s, [4, -9], [0, -9], [0.0, 0]]]}".formatted(comb);
    return List.of(
        new EndlessRequests(
            "$geoWithin a comb",
            "{find: 'c', filter: {g: {$geoWithin: {$geometry: " + polygon + "}}}}"));
  }

  private static List<EndlessRequests> filters() {
    String clauses =
        IntStream.range(0, 4_000)
            .mapToObj(i -> "{x: {$gt: 1e9}, y%d: 1}".formatted(i))
            .collect(csv());
    String patterns = IntStream.range(0, 4_000).mapToObj(i -> "/^z" + i + "/").collect(csv());
    var all = new ArrayList<EndlessRequests>();
    all.add(
        new EndlessRequests(
            "$elemMatch", "{find: 'big', filter: {d: {$elemMatch: {$or: [" + clauses + "]}}}}"));
    all.add(
        new EndlessRequests(
            "$or over an array",
            "{find: 'big', filter: {$or: ["
                + IntStream.range(0, 10_000)
                    .mapToObj(i -> "{'d.x': {$lt: %d}}".formatted(-1 - i))
                    .collect(csv())
                + "]}}"));
    all.add(
        new EndlessRequests(
            "$pull",
            "{update: 'big', updates: [{q: {_id: 1}, u: {$pull: {d: {$or: ["
                + clauses
                + "]}}}}]}"));
    all.add(
        new EndlessRequests(
            "arrayFilters",
            "{update: 'big', updates: [{q: {_id: 1}, u: {$set: {'d.$[e].z': 1}}, arrayFilters: [{$or:"
                + " ["
                + clauses
                    .replace("{x:", "{'e.x':")
                    .replace(", y", ", 'e.y")
                    .replace(": 1}", "': 1}")
                + "]}]}]}"));
    all.add(
        new EndlessRequests(
            "$jsonSchema",
            "{find: 'big', filter: {$jsonSchema: {properties: {d: {items: {not: {anyOf: ["
                + IntStream.range(0, 4_000)
                    .mapToObj(i -> "{required: ['y" + i + "']}")
                    .collect(csv())
                + "]}}}}}}}"));
    all.add(
        new EndlessRequests(
            "$in of patterns",
            "{aggregate: 'c', cursor: {}, pipeline: [{$limit: 1}, {$project: {s: {$map: {input:"
                + " {$range: [0, 20000]}, in: {$toString: '$$this'}}}}}, {$match: {s: {$in: ["
                + patterns
                + "]}}}]}"));
    return all;
  }

  @Override
  public String toString() {
    return name;
  }
}
