package dev.orrery.server.command.data;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/** Random conditions for {@code $expr}, of which an index may serve some. */
final class RandomExpressions {
  private final Random random;
  private final RandomValues values;
  private final Supplier<String> paths;

  RandomExpressions(Random random, RandomValues values, Supplier<String> paths) {
    this.random = random;
    this.values = values;
    this.paths = paths;
  }

  private static BsonDocument call(String name, BsonValue... operands) {
    return new BsonDocument(name, new BsonArray(List.of(operands)));
  }

  private String any(String... names) {
    return names[random.nextInt(names.length)];
  }

  BsonDocument condition(int depth) {
    if (depth > 0 && random.nextInt(3) == 0) {
      return random.nextInt(5) == 0
          ? call("$not", condition(depth - 1))
          : call(any("$and", "$or"), condition(depth - 1), second(depth - 1));
    }
    String compare = any("$eq", "$eq", "$gt", "$gte", "$lt", "$lte", "$ne");
    return switch (random.nextInt(8)) {
      case 0 -> call(compare, constant(), path());
      case 1 -> call(compare, path(), path());
      case 2 -> call(compare, path(), new BsonString("$missing"));
      case 3 -> call("$in", path(), new BsonDocument("$literal", values.array(1)));
      case 4 -> call("$in", constant(), new BsonArray(List.of(path(), constant())));
      default -> call(compare, path(), constant());
    };
  }

  private BsonValue second(int depth) {
    return random.nextInt(4) == 0 ? path() : condition(depth);
  }

  private BsonString path() {
    return new BsonString(any("$", "$", "$$ROOT.", "$$CURRENT.") + paths.get());
  }

  private BsonDocument constant() {
    return random.nextInt(8) == 0
        ? new BsonDocument("$ifNull", new BsonArray(List.of(new BsonString("$$REMOVE"), literal())))
        : literal();
  }

  private BsonDocument literal() {
    return new BsonDocument("$literal", values.value(1));
  }
}
