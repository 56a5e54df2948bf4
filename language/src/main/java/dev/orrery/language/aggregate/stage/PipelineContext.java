package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.query.Collation;
import dev.orrery.language.query.FilterContext;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.Namespace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;

/**
 * What a pipeline's meaning depends on besides its own text.
 *
 * @param namespace the collection it runs on; of {@code {aggregate: 1}}, {@code $cmd.aggregate}
 * @param expressions the variables in scope
 * @param collation how strings compare
 * @param variables slots of the variables that an outer $lookup binds, by name
 * @param catalog the collections and views that $lookup and others name
 * @param depth in how many others it stands
 */
public record PipelineContext(
    Namespace namespace,
    ParseContext expressions,
    Collation collation,
    Map<String, Integer> variables,
    KnownCollections catalog,
    int depth) {
  public static final String NO_COLLECTION = "$cmd.aggregate";

  /** The deepest that pipelines may stand in one another. */
  static final int DEPTH_MAX = 20;

  public PipelineContext {
    variables = Map.copyOf(variables);
  }

  public static PipelineContext of(
      Namespace namespace,
      ParseContext expressions,
      Collation collation,
      KnownCollections catalog) {
    return new PipelineContext(
        namespace, expressions.withOrder(collation.order()), collation, Map.of(), catalog, 0);
  }

  public BsonOrder order() {
    return collation.order();
  }

  public String database() {
    return namespace.database();
  }

  public boolean hasCollection() {
    return !namespace.collection().equals(NO_COLLECTION);
  }

  public FilterContext filters() {
    return FilterContext.of(expressions).withOrder(order());
  }

  private int inner() {
    if (depth == DEPTH_MAX) {
      throw new CommandException(
          ErrorCode.MAX_SUB_PIPELINE_DEPTH_EXCEEDED,
          "Maximum number of nested sub-pipelines exceeded. Limit is " + DEPTH_MAX);
    }
    return depth + 1;
  }

  /** The context of a sub-pipeline on another collection. */
  public PipelineContext on(Namespace other) {
    return new PipelineContext(other, expressions, collation, variables, catalog, inner());
  }

  /** The context of a sub-pipeline on another collection that sees further variables. */
  public PipelineContext inner(Namespace other, List<String> names) {
    ParseContext inner = expressions;
    Map<String, Integer> slots = new LinkedHashMap<>(variables);
    for (String name : names) {
      inner = inner.withVariable(name);
      slots.put(name, inner.slot(name));
    }
    return new PipelineContext(other, inner, collation, slots, catalog, inner());
  }

  public PipelineContext with(ParseContext others) {
    return new PipelineContext(namespace, others, collation, variables, catalog, depth);
  }

  /** The pipeline of a view, and on which collection it runs in the end. */
  public KnownCollections.View resolve(Namespace name) {
    var pipeline = new java.util.ArrayList<BsonDocument>();
    Namespace current = name;
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
      KnownCollections.View view = catalog.view(current);
      if (view == null) {
        break;
      }
      pipeline.addAll(0, view.pipeline());
      current = view.on();
    }
    return new KnownCollections.View(current, pipeline);
  }
}
