package dev.orrery.compat.soak;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;

/**
 * Asks for too much: what is deep, wide, slow or never fetched. Each may be refused, none may keep
 * others waiting or be answered late.
 */
final class HostileReader implements Actor {
  private static final List<Supplier<String>> REQUESTS =
      List.of(
          () -> find(nested("{$and: [", "{n: 1}", "]}", 95)),
          () -> find(nested("{$and: [", "{n: 1}", "]}", 140)),
          () -> find("{$or: [%s]}".formatted(list(20_000, "{n: %d}"))),
          () -> find("{n: {$in: [%s]}}".formatted(list(50_000, "%d"))),
          () -> find("{x: {$regex: '^(x+x+)+y$'}}"),
          () -> find("{$expr: {$gt: [{$size: {$range: [0, 1000000]}}, {$strLenCP: '$x'}]}}"),
          () ->
              aggregate(
                  "{$project: {a: {$map: {input: {$range: [0, 3000]}, as: 'a', in: {$map: {input:"
                      + " {$range: [0, 3000]}, as: 'b', in: {$add: ['$$a', '$$b']}}}}}}}"),
          () ->
              aggregate(
                  "{$lookup: {from: 'docs', localField: 'w', foreignField: 'w', as: 'a'}},"
                      + "{$unwind: '$a'}, {$lookup: {from: 'docs', localField: 'a.w',"
                      + " foreignField: 'w', as: 'b'}}, {$unwind: '$b'}, {$count: 'n'}"),
          () ->
              aggregate(
                  "{$group: {_id: null, all: {$push: '$x'}}}, {$project: {a: {$reduce: {input:"
                      + " '$all', initialValue: '', in: {$concat: ['$$value', '$$this']}}}}}"),
          () -> aggregate(nested("{$replaceRoot: {newRoot: {a: ", "1", "}}}", 60)),
          () -> "{find: 'docs', sort: {x: 1, n: 1}, batchSize: 1}",
          () -> "{aggregate: 'docs', pipeline: [{$sort: {x: -1}}], cursor: {batchSize: 1}}");

  private final SoakClient client;

  HostileReader(SoakRun run) {
    this.client = new SoakClient(run, "soak");
  }

  @Override
  public int pauseMillis() {
    return 400;
  }

  @Override
  public void act(Random random) throws IOException {
    BsonDocument request = BsonDocument.parse(REQUESTS.get(random.nextInt(REQUESTS.size())).get());
    client.command(request.append("lsid", client.cursorSession())); // cursors are left as they are
  }

  private static String find(String filter) {
    return "{find: 'docs', filter: %s, limit: 10, maxTimeMS: 1000}".formatted(filter);
  }

  private static String aggregate(String stages) {
    return "{aggregate: 'docs', pipeline: [%s], cursor: {}, maxTimeMS: 1000}".formatted(stages);
  }

  private static String nested(String open, String inside, String close, int depth) {
    return open.repeat(depth) + inside + close.repeat(depth);
  }

  private static String list(int count, String form) {
    return IntStream.range(0, count).mapToObj(form::formatted).collect(Collectors.joining(","));
  }
}
