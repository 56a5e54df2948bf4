package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever way is chosen, the result is that of a scan of the collection. */
class PlanPropertyTest {
  private static final int DOCUMENTS = 120;
  private static final int QUERIES = 200;

  private static final List<String> INDEXES =
      List.of(
          "{a: 1}",
          "{a: -1, b: 1}",
          "{'a.b': 1}",
          "{'a.b': 1, 'a.c': -1}",
          "{b: 1, a: 1, c: -1}",
          "{'a.0': 1}",
          "{c: 1, b: -1}",
          "{'c.b': 1, c: 1}",
          "{'$**': 1}");

  private static final List<String> PATHS = List.of("a", "b", "c", "a.b", "a.c", "a.0", "c.b");

  @TempDir Path directory;
  private PlanFixture fixture;
  private Random random;

  @Test
  void everyPlanFindsWhatAScanFinds() {
    for (int seed = 1; seed <= 3; seed++) {
      random = new Random(seed);
      try (var opened = new PlanFixture(directory.resolve("plain" + seed), null, 1)) {
        fixture = opened;
        fill();
        createIndexes();
        for (int i = 0; i < QUERIES; i++) {
          check(filter(2), random.nextInt(3) == 0 ? sort() : null);
        }
      }
    }
  }

  @Test
  void partitionsFindTheSameTogether() {
    random = new Random(99);
    try (var opened = new PlanFixture(directory.resolve("parts"), "k", 3)) {
      fixture = opened;
      fill();
      createIndexes();
      for (int i = 0; i < QUERIES; i++) {
        check(filter(2), random.nextInt(3) == 0 ? sort() : null);
      }
    }
  }

  private void check(String filter, String sort) {
    Query query = fixture.query(filter);
    if (sort != null) {
      query = query.with(PlanFixture.order(sort));
    }
    List<RawDocument> expected;
    try {
      expected = fixture.run(query.with(PlanFixture.natural()));
    } catch (dev.orrery.language.error.CommandException e) {
      return; // the documents cannot be sorted so: parallel arrays
    }
    checkSame(query, expected, filter + " by " + sort + " freely");
    for (IndexSpec index : fixture.collection.info().readyIndexes()) {
      boolean hasAll = !index.isSparse() && index.partialFilter() == null;
      if (hasAll && !index.name().startsWith("wild")) {
        checkSame(
            query.with(PlanFixture.hint(index.name())),
            expected,
            filter + " by " + sort + " with " + index);
      }
    }
  }

  private void checkSame(Query query, List<RawDocument> expected, String description) {
    List<RawDocument> found = fixture.run(query);
    assertThat(ids(found)).as(description).isEqualTo(ids(expected));
    assertThat(new Planner().plan(query).count(fixture.execution()))
        .as("count of %s", description)
        .isEqualTo(found.size());
    if (query.order().sort() != null) {
      for (int i = 0; i < found.size(); i++) {
        assertThat(
                Arrays.compareUnsigned(
                    query.order().sort().key(found.get(i)),
                    query.order().sort().key(expected.get(i))))
            .as("%s: row %d, %s", description, i, found.get(i))
            .isZero();
      }
    }
  }

  private static List<Integer> ids(List<RawDocument> documents) {
    return documents.stream().map(one -> one.field("_id").asInt32()).sorted().toList();
  }

  private void createIndexes() {
    for (int i = 0; i < INDEXES.size(); i++) {
      String name = INDEXES.get(i).contains("$**") ? "wild" + i : "index" + i;
      String options =
          switch (random.nextInt(6)) {
            case 0 -> "{sparse: true}";
            case 1 -> "{partialFilterExpression: " + partial() + "}";
            default -> "{}";
          };
      if (random.nextInt(4) > 0) {
        create(name, INDEXES.get(i), name.startsWith("wild") ? "{}" : options);
      }
    }
    create("hashed", "{b: 'hashed'}", "{}");
  }

  private String partial() {
    return switch (random.nextInt(3)) {
      case 0 -> "{b: {$gt: 2}}";
      case 1 -> "{a: {$exists: true}}";
      default -> "{c: {$lte: 5}}";
    };
  }

  private void create(String name, String key, String options) {
    try {
      fixture.index(name, key, options);
    } catch (IndexKeyException | StorageException e) {
      // an index that does not take all documents is not there
      assertThat(e).hasMessageNotContaining("internal");
    }
  }

  private void fill() {
    for (int i = 0; i < DOCUMENTS; i++) {
      var json = new StringBuilder("{_id: " + i + ", k: " + random.nextInt(10));
      for (String field : List.of("a", "b", "c")) {
        boolean mayBeArray = !field.equals("b");
        if (random.nextInt(8) > 0) {
          json.append(", ").append(field).append(": ").append(value(mayBeArray ? 3 : 0));
        }
      }
      fixture.insert(json.append('}').toString());
    }
  }

  private String value(int depth) {
    int kind = random.nextInt(depth > 0 ? 10 : 6);
    if (kind < 6) {
      return scalar();
    }
    if (kind < 8) {
      var fields = new StringBuilder("{");
      for (String name : List.of("b", "c")) {
        if (random.nextInt(3) > 0) {
          fields.append(name).append(": ").append(value(depth - 1)).append(", ");
        }
      }
      return fields.append("}").toString().replace(", }", "}");
    }
    var elements = new StringBuilder("[");
    for (int i = random.nextInt(4); i > 0; i--) {
      elements.append(value(depth - 1)).append(i > 1 ? ", " : "");
    }
    return elements.append("]").toString();
  }

  private String scalar() {
    return switch (random.nextInt(12)) {
      case 0 -> "null";
      case 1 -> "'ab" + (char) ('a' + random.nextInt(3)) + "'";
      case 2 -> "'b'";
      case 3 -> "true";
      case 4 -> "NaN";
      case 5 -> "{$numberDecimal: '2.5'}";
      case 6 -> random.nextInt(8) + ".5";
      default -> Integer.toString(random.nextInt(8));
    };
  }

  private String filter(int depth) {
    if (depth > 0 && random.nextInt(3) == 0) {
      String operator = List.of("$and", "$or", "$nor").get(random.nextInt(3));
      return "{" + operator + ": [" + filter(depth - 1) + ", " + filter(depth - 1) + "]}";
    }
    var filter = new StringBuilder("{");
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      String path = PATHS.get(random.nextInt(PATHS.size()));
      if (filter.indexOf("'" + path + "'") < 0) {
        filter.append("'").append(path).append("': ").append(condition(2)).append(", ");
      }
    }
    if (random.nextInt(6) == 0) {
      filter.append("k: ").append(random.nextInt(10)).append(", ");
    }
    return filter.append("}").toString().replace(", }", "}");
  }

  private String condition(int depth) {
    return switch (random.nextInt(depth > 0 ? 21 : 7)) {
      case 0 -> scalar();
      case 1 -> "{$gt: " + scalar() + "}";
      case 2 -> "{$gte: " + scalar() + ", $lt: " + scalar() + "}";
      case 3 -> "{$in: [" + scalar() + ", " + scalar() + ", " + value(1) + "]}";
      case 4 -> "{$lte: " + scalar() + "}";
      case 5 -> "{$ne: " + scalar() + "}";
      case 6 -> "{$nin: [" + scalar() + ", " + scalar() + "]}";
      case 7 -> "{$exists: " + random.nextBoolean() + "}";
      case 8 -> "{$eq: " + value(2) + "}";
      case 9 -> "{$regex: '^ab" + (random.nextBoolean() ? "b*" : "") + "'}";
      case 10 -> "{$elemMatch: " + operators() + "}";
      case 11 -> "{$elemMatch: {b: " + condition(0) + ", c: " + condition(0) + "}}";
      case 12 -> "{$not: {$gt: " + scalar() + "}}";
      case 13 -> "{$not: " + asOperators(condition(depth - 1)) + "}";
      case 14 -> "{$type: [" + type() + ", " + type() + "]}";
      case 15 -> "{$all: [" + scalar() + ", " + value(1) + "]}";
      case 16 -> "{$all: [{$elemMatch: " + operators() + "}, {$elemMatch: {b: 1}}]}";
      case 17 -> "{$size: " + random.nextInt(3) + "}";
      case 18 -> "{$elemMatch: {$elemMatch: " + operators() + "}}";
      case 19 -> "{$mod: [3, 1], $gte: " + extreme() + "}";
      default -> "{" + List.of("$gt", "$lte").get(random.nextInt(2)) + ": " + value(2) + "}";
    };
  }

  private static String asOperators(String condition) {
    boolean isValue = !condition.startsWith("{") || condition.startsWith("{$number");
    return isValue ? "{$eq: " + condition + "}" : condition;
  }

  private String type() {
    var types = List.of("number", "string", "null", "array", "object", "bool", "int", "undefined");
    return "'" + types.get(random.nextInt(types.size())) + "'";
  }

  private String extreme() {
    return random.nextBoolean() ? "{$minKey: 1}" : "{$maxKey: 1}";
  }

  private String operators() {
    return switch (random.nextInt(10)) {
      case 0 -> "{$gte: " + scalar() + ", $lt: " + scalar() + "}";
      case 1 -> "{$in: [" + scalar() + ", " + scalar() + "]}";
      case 2 -> "{$ne: " + scalar() + "}";
      case 3 -> "{$elemMatch: " + operators() + "}";
      case 4 -> "{$not: {$elemMatch: " + operators() + "}}";
      case 5 -> "{$type: " + type() + "}";
      case 6 -> "{$regex: '^ab'}";
      case 7 -> "{$eq: " + value(1) + "}";
      case 8 -> "{$exists: " + random.nextBoolean() + ", $gt: " + value(1) + "}";
      default -> "{$gt: " + scalar() + ", $nin: [" + scalar() + "]}";
    };
  }

  private String sort() {
    String first = PATHS.get(random.nextInt(PATHS.size()));
    String second = PATHS.get(random.nextInt(PATHS.size()));
    String one = "'" + first + "': " + (random.nextBoolean() ? 1 : -1);
    return first.equals(second) || random.nextBoolean()
        ? "{" + one + "}"
        : "{" + one + ", '" + second + "': " + (random.nextBoolean() ? 1 : -1) + "}";
  }
}
