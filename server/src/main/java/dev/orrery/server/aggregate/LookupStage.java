package dev.orrery.server.aggregate;

import dev.orrery.server.expression.Dependencies;
import dev.orrery.server.expression.Expression;
import dev.orrery.server.expression.Scope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $lookup}: adds an array of what a pipeline over another collection gives for each
 * document.
 */
record LookupStage(
    List<String> as,
    @Nullable Join join,
    Map<Integer, Expression> let,
    Pipeline pipeline,
    BsonDocument specification)
    implements Stage {

  /**
   * The equality of the plain form.
   *
   * @param head how many stages of the pipeline come before it
   */
  record Join(List<String> localField, String foreignField, int head) {}

  @Override
  public String name() {
    return "$lookup";
  }

  @Override
  public Stage optimize() {
    Map<Integer, Expression> optimized = new LinkedHashMap<>();
    let.forEach((slot, expression) -> optimized.put(slot, expression.optimize()));
    if (join == null) {
      return new LookupStage(as, null, optimized, pipeline.optimize(), specification);
    }
    // The equality comes in between, so stages must not move from one side to the other.
    Pipeline before = pipeline.part(0, join.head).optimize();
    Pipeline after = pipeline.part(join.head, pipeline.stages().size()).optimize();
    var moved = new Join(join.localField, join.foreignField, before.stages().size());
    return new LookupStage(as, moved, optimized, before.followedBy(after), specification);
  }

  @Override
  public Set<String> generatedFields() {
    return as.size() == 1 ? Set.copyOf(as) : Set.of();
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    if (join != null) {
      dependencies.addField(join.localField.get(0));
    }
    let.values().forEach(expression -> expression.addDependencies(dependencies));
    return false;
  }

  @Override
  public boolean preserves(String path) {
    return !Documents.overlap(path, String.join(".", as));
  }

  @Override
  public DocumentStream open(DocumentStream input, Run run) {
    boolean isCached = join == null && let.isEmpty() && pipeline.isRepeatable();
    var cache = new BsonArray[1];
    return new Transformed(
        input,
        document -> {
          BsonArray found = cache[0] != null ? cache[0] : find(document, run);
          if (isCached) {
            cache[0] = found;
          }
          return Documents.with(document, as, found);
        });
  }

  private BsonArray find(BsonDocument document, Run run) {
    Run inner = run.fork();
    Scope scope = run.scope().root(document);
    let.forEach((slot, expression) -> inner.scope().bind(slot, expression.evaluate(scope)));
    var found = new BsonArray();
    try (var stream = opened(document, inner)) {
      for (BsonDocument one = stream.next(); one != null; one = stream.next()) {
        found.add(one);
      }
    }
    return found;
  }

  private DocumentStream opened(BsonDocument document, Run inner) {
    if (join == null) {
      return pipeline.open(inner);
    }
    List<BsonValue> keys = localValues(document, join.localField);
    var match = MatchStage.of(equality(join.foreignField, keys), pipeline.context());
    return pipeline.with(join.head, match).open(inner);
  }

  /** All values that a path leads to; null when there are none. */
  static List<BsonValue> localValues(BsonDocument document, List<String> path) {
    List<BsonValue> values = new ArrayList<>();
    collect(document, path, 0, values);
    if (values.isEmpty()) {
      values.add(BsonNull.VALUE);
    }
    return values;
  }

  private static void collect(
      @Nullable BsonValue value, List<String> path, int depth, List<BsonValue> values) {
    if (value == null) {
      return;
    }
    if (depth == path.size()) {
      if (value instanceof BsonArray array) {
        values.addAll(array);
      } else {
        values.add(value);
      }
      return;
    }
    if (value instanceof BsonDocument fields) {
      collect(fields.get(path.get(depth)), path, depth + 1, values);
    } else if (value instanceof BsonArray array) {
      collectElements(array, path, depth, values);
    }
  }

  private static void collectElements(
      BsonArray array, List<String> path, int depth, List<BsonValue> values) {
    String name = path.get(depth);
    if (name.length() < 10 && name.chars().allMatch(c -> c >= '0' && c <= '9')) {
      int position = Integer.parseInt(name);
      if (position < array.size()) {
        collect(array.get(position), path, depth + 1, values);
      }
    }
    for (BsonValue element : array) {
      if (element instanceof BsonDocument fields) {
        collect(fields.get(name), path, depth + 1, values);
      }
    }
  }

  /** A filter for documents whose field equals one of the values. */
  static BsonDocument equality(String field, List<BsonValue> values) {
    boolean hasRegex =
        values.stream().anyMatch(value -> value.getBsonType() == BsonType.REGULAR_EXPRESSION);
    if (values.size() == 1 && !hasRegex) {
      return new BsonDocument(field, new BsonDocument("$eq", values.get(0)));
    }
    if (!hasRegex) {
      return new BsonDocument(field, new BsonDocument("$in", new BsonArray(values)));
    }
    // In $in a regular expression would match strings, not itself.
    var any = new BsonArray();
    values.forEach(value -> any.add(new BsonDocument(field, new BsonDocument("$eq", value))));
    return new BsonDocument("$or", any);
  }
}
