package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.Transformed;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $lookup}: adds an array of what a pipeline over another collection gives for each
 * document; or, with an $unwind taken in, one document for each of them.
 */
record LookupStage(
    Target target,
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

  /**
   * Where results go.
   *
   * @param unwind the stage that followed and is done here, or null
   */
  record Target(List<String> as, @Nullable UnwindStage unwind) {
    String path() {
      return String.join(".", as);
    }
  }

  @Override
  public String name() {
    return "$lookup";
  }

  /** Where its pipeline may not be, the stage may not be either. */
  @Override
  public Set<Trait> traits() {
    boolean isGiven = specification.getDocument(name()).containsKey("pipeline");
    return isGiven ? pipeline.places() : Set.of();
  }

  /** The stage that does the work of an $unwind of its array too; null if that is another path. */
  @Nullable LookupStage with(UnwindStage unwind) {
    if (target.unwind != null || !unwind.path().equals(target.as)) {
      return null;
    }
    var options = new BsonDocument();
    options.putAll(specification.getDocument(name()));
    var unwinding =
        new BsonDocument("preserveNullAndEmptyArrays", BsonBoolean.valueOf(unwind.isKept()));
    if (unwind.index() != null) {
      unwinding.append("includeArrayIndex", new BsonString(String.join(".", unwind.index())));
    }
    options.append("unwinding", unwinding);
    return new LookupStage(
        new Target(target.as, unwind), join, let, pipeline, new BsonDocument(name(), options));
  }

  /**
   * The stage with a $match that followed as a part of its pipeline; null if the filter reads
   * anything but fields of the unwound documents.
   */
  @Nullable LookupStage with(MatchStage match) {
    boolean isPlain =
        target.unwind != null && !target.unwind.isKept() && target.unwind.index() == null;
    BsonDocument inner =
        isPlain ? FilterFields.below(match.document().toBsonDocument(), target.path()) : null;
    if (inner == null) {
      return null;
    }
    var filters = new BsonArray();
    BsonDocument options = specification.getDocument(name()).clone();
    if (options.containsKey("matching")) {
      filters.add(options.get("matching"));
    }
    filters.add(inner);
    options.put("matching", filters.size() == 1 ? inner : new BsonDocument("$and", filters));
    var stage = MatchStage.of(inner, pipeline.context());
    return new LookupStage(
        target, join, let, pipeline.followedBy(stage), new BsonDocument(name(), options));
  }

  @Override
  public Stage optimize() {
    Map<Integer, Expression> optimized = new LinkedHashMap<>();
    let.forEach((slot, expression) -> optimized.put(slot, expression.optimize()));
    if (join == null) {
      return new LookupStage(target, null, optimized, pipeline.optimize(), specification);
    }
    // The equality comes in between, so stages must not move from one side to the other.
    Pipeline before = pipeline.part(0, join.head).optimize();
    Pipeline after = pipeline.part(join.head, pipeline.stages().size()).optimize();
    var moved = new Join(join.localField, join.foreignField, before.stages().size());
    return new LookupStage(target, moved, optimized, before.followedBy(after), specification);
  }

  @Override
  public Set<String> generatedFields() {
    return target.as.size() == 1 ? Set.copyOf(target.as) : Set.of();
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
    return !Documents.overlap(path, target.path())
        && (target.unwind == null || target.unwind.preserves(path));
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    var foreign = new ForeignDocuments(this, run);
    if (target.unwind != null) {
      return new UnwoundLookup(this, input, foreign, run.spill());
    }
    return new Transformed(
        input,
        document -> Documents.with(document, target.as, foreign.all(document)),
        foreign::close);
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
