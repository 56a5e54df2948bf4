package dev.orrery.language.query;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Scope;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Find's projection, compiled. Fields that are kept come in the order of the document, as the bytes
 * they are; computed ones follow in the order of the projection.
 */
public final class Projection {
  /** Metadata that few queries have, and what MongoDB calls it. */
  private static final Map<String, String> SCARCE =
      Map.of(
          "geoNearDistance", "$geoNear distance",
          "geoNearPoint", "$geoNear point",
          "textScore", "text score");

  private final ProjectionNode.Inner root;
  private final boolean isInclusion;
  private final RawSelection selection;
  private final List<Located<ProjectionNode.Slice>> slices = new ArrayList<>();
  private final List<Located<ProjectionNode.Positional>> positionals = new ArrayList<>();
  private final boolean hasComputed;
  private final Filter filter;

  /** A node and the path it stands at. */
  private record Located<T extends ProjectionNode>(List<String> path, T node) {}

  private Projection(ProjectionNode.Inner root, boolean isInclusion, Filter filter) {
    this.root = root;
    this.isInclusion = isInclusion;
    this.selection = new RawSelection(root, isInclusion);
    this.hasComputed = root.hasComputed();
    this.filter = filter;
    locate(root, List.of());
  }

  /** Compiles a find's projection; {@code filter} is the find's, which {@code $} refers to. */
  public static Projection parse(BsonDocument projection, Filter filter, FilterContext context) {
    var parser = new ProjectionParser(context, true);
    parser.parse(projection);
    var compiled = new Projection(optimize(parser.root()), parser.isInclusion(), filter);
    compiled.requireMetadata(filter);
    if (!compiled.positionals.isEmpty()) {
      refuseWholeConditions(filter);
    }
    return compiled;
  }

  private void requireMetadata(Filter ofQuery) {
    for (String name : metadata()) {
      String unavailable = SCARCE.get(name);
      if (unavailable != null && !FilterMetadata.of(ofQuery).contains(name)) {
        throw new CommandException(
            ErrorCode.LOCATION_40218,
            "query requires " + unavailable + " metadata, but it is not available");
      }
    }
  }

  /** {@code a.$} goes with conditions on fields only. */
  private static void refuseWholeConditions(Filter filter) {
    if (filter instanceof Filter.Whole whole) {
      throw new CommandException(
          ErrorCode.QUERY_FEATURE_NOT_ALLOWED,
          whole.predicate().document().getFirstKey() + " is not allowed in this context");
    }
    if (filter instanceof Filter.And and) {
      and.children().forEach(Projection::refuseWholeConditions);
    } else if (filter instanceof Filter.Or or) {
      or.children().forEach(Projection::refuseWholeConditions);
    } else if (filter instanceof Filter.Nor nor) {
      nor.children().forEach(Projection::refuseWholeConditions);
    }
  }

  /** A projection as the tree it is: what $project of a pipeline does. */
  public record Parsed(ProjectionNode.Inner root, boolean isInclusion) {}

  /** Reads the specification of $project, which knows none of find's operators. */
  public static Parsed parseStage(BsonDocument projection, FilterContext context) {
    var parser = new ProjectionParser(context, false);
    parser.parse(projection);
    return new Parsed(parser.root(), parser.isInclusion());
  }

  private static ProjectionNode.Inner optimize(ProjectionNode.Inner inner) {
    inner.children().replaceAll((name, child) -> optimize(child));
    return inner;
  }

  private static ProjectionNode optimize(ProjectionNode node) {
    if (node instanceof ProjectionNode.Computed computed) {
      Lane.requireMayWait(); // what is constant is computed now, and may take its time
      return new ProjectionNode.Computed(computed.expression().optimize());
    }
    return node instanceof ProjectionNode.Inner inner ? optimize(inner) : node;
  }

  private void locate(ProjectionNode.Inner inner, List<String> parent) {
    inner
        .children()
        .forEach(
            (name, child) -> {
              var path = new ArrayList<>(parent);
              path.add(name);
              if (child instanceof ProjectionNode.Inner deeper) {
                locate(deeper, path);
              } else if (child instanceof ProjectionNode.Slice slice) {
                slices.add(new Located<>(path, slice));
              } else if (child instanceof ProjectionNode.Positional positional) {
                positionals.add(new Located<>(path, positional));
              }
            });
  }

  /** Whether it lists what to keep, and not what to leave out. */
  public boolean isInclusion() {
    return isInclusion;
  }

  /** What it does, for planners that look for covered queries. */
  public ProjectionNode.Inner root() {
    return root;
  }

  /** The names that {@code $meta} asks for: sortKey, recordId, randVal ... */
  public Set<String> metadata() {
    var dependencies = new Dependencies();
    addDependencies(root, dependencies);
    return dependencies.metadata();
  }

  private static void addDependencies(ProjectionNode node, Dependencies dependencies) {
    if (node instanceof ProjectionNode.Computed computed) {
      computed.expression().addDependencies(dependencies);
    } else if (node instanceof ProjectionNode.Inner inner) {
      inner.children().values().forEach(child -> addDependencies(child, dependencies));
    }
  }

  /** Whether it only keeps and leaves out: no expressions, no find operators. */
  public boolean isSimple() {
    return !hasComputed && slices.isEmpty() && positionals.isEmpty();
  }

  public RawDocument apply(RawDocument document) {
    return apply(document, Map.of());
  }

  /** {@code metadata} is what {@code $meta} finds, by name. */
  public RawDocument apply(RawDocument document, Map<String, BsonValue> metadata) {
    var selected = selection.apply(document);
    if (isSimple()) {
      return selected;
    }
    var output = selected.toBsonDocument();
    if (hasComputed) {
      var scope = new Scope(document.toBsonDocument()).metadata(metadata);
      compute(root, output, document, scope);
    }
    for (var positional : positionals) {
      output = keepMatched(output, positional.path(), document);
    }
    for (var slice : slices) {
      FilterSize.count(document);
      ProjectionSlice.apply(output, slice.path(), slice.node());
    }
    return RawDocument.of(output);
  }

  private void compute(
      ProjectionNode.Inner inner, BsonDocument output, RawDocument document, Scope scope) {
    inner
        .children()
        .forEach(
            (name, child) -> {
              if (child instanceof ProjectionNode.Computed computed) {
                put(output, name, evaluate(computed.expression(), scope));
              } else if (child instanceof ProjectionNode.ElementMatch match) {
                put(output, name, firstMatch(name, match.filter(), document));
              } else if (child instanceof ProjectionNode.Inner deeper && deeper.hasComputed()) {
                put(output, name, computeIn(deeper, output.get(name), document, scope));
              }
            });
  }

  private static @Nullable BsonValue evaluate(Expression expression, Scope scope) {
    return expression.evaluate(scope);
  }

  /** Computed fields inside a value: in each element of an array, instead of any scalar. */
  private BsonValue computeIn(
      ProjectionNode.Inner inner, @Nullable BsonValue value, RawDocument document, Scope scope) {
    if (value instanceof BsonArray array) {
      var computed = new BsonArray(array.size());
      array.forEach(element -> computed.add(computeIn(inner, element, document, scope)));
      return computed;
    }
    var output = value instanceof BsonDocument existing ? existing : new BsonDocument();
    compute(inner, output, document, scope);
    return output;
  }

  private static void put(BsonDocument output, String name, @Nullable BsonValue value) {
    if (value == null) {
      output.remove(name);
    } else {
      output.put(name, value);
    }
  }

  private static @Nullable BsonValue firstMatch(String name, Filter filter, RawDocument document) {
    var details = new MatchDetails();
    if (!filter.matches(document, details)) {
      return null;
    }
    var elements = document.field(name).asDocument().toValues();
    return new BsonArray(List.of(elements.get(details.arrayIndex()).toBsonValue()));
  }

  /** Leaves of the first array on the path only the element by which the filter matched. */
  private BsonDocument keepMatched(BsonDocument output, List<String> path, RawDocument document) {
    var current = output;
    for (String name : path) {
      var value = current.get(name);
      if (value instanceof BsonArray array) {
        current.put(name, new BsonArray(List.of(matched(array, document))));
        return output;
      }
      if (value instanceof BsonDocument deeper) {
        current = deeper;
      }
    }
    return output;
  }

  private BsonValue matched(BsonArray array, RawDocument document) {
    var details = new MatchDetails();
    filter.matches(document, details);
    if (details.arrayIndex() < 0) {
      throw new CommandException(
          ErrorCode.LOCATION_51246,
          "positional operator '.$' couldn't find a matching element in the array");
    }
    if (details.arrayIndex() >= array.size()) {
      throw new CommandException(
          ErrorCode.LOCATION_51247, "positional operator '.$' element mismatch");
    }
    return array.get(details.arrayIndex());
  }
}
