package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.Transformed;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.limit.Holding;
import dev.orrery.value.BsonKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $graphLookup}: adds an array of all documents of another collection that can be reached by
 * following a field to another.
 */
record GraphLookupStage(
    Pipeline source, Expression startWith, Edges edges, Output output, BsonDocument specification)
    implements Stage {

  /** What a document takes beside itself: its id, and its place in the table of those visited. */
  private static final int VISITED_BYTES = 200;

  /**
   * How one document leads to the next.
   *
   * @param restriction what a document must match to be reached; null for nothing
   */
  record Edges(List<String> from, String to, long maxDepth, @Nullable BsonDocument restriction) {}

  /**
   * Where results go.
   *
   * @param depth the field of a result for its distance; null for none
   */
  record Output(List<String> as, @Nullable List<String> depth) {}

  @Override
  public String name() {
    return "$graphLookup";
  }

  @Override
  public Stage optimize() {
    return new GraphLookupStage(
        source.optimize(), startWith.optimize(), edges, output, specification);
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    startWith.addDependencies(dependencies);
    return false;
  }

  @Override
  public Set<String> generatedFields() {
    return output.as.size() == 1 ? Set.copyOf(output.as) : Set.of();
  }

  @Override
  public boolean preserves(String path) {
    return !Documents.overlap(path, String.join(".", output.as));
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    var holding = new Holding(run.spill().memory());
    return new Transformed(
        input,
        document -> Documents.with(document, output.as, search(document, run, holding)),
        holding::close);
  }

  private BsonArray search(BsonDocument document, PipelineRun run, Holding holding) {
    holding.clear(); // the array before this one has been used
    var search = new Search(run, holding);
    BsonValue start = startWith.evaluate(run.scope().root(document));
    search.frontier.addAll(keys(start));
    for (long depth = 0; depth <= edges.maxDepth && !search.frontier.isEmpty(); depth++) {
      search.visitNext(depth);
    }
    return new BsonArray(new ArrayList<>(search.visited.values()));
  }

  private Set<BsonKey> keys(@Nullable BsonValue value) {
    Set<BsonKey> keys = new LinkedHashSet<>();
    if (value instanceof BsonArray elements) {
      elements.forEach(element -> keys.add(BsonKey.of(element, source.context().order())));
    } else if (value != null) {
      keys.add(BsonKey.of(value, source.context().order()));
    }
    return keys;
  }

  /** The walk from one document. */
  private final class Search {
    private final PipelineRun run;
    private final Map<BsonKey, BsonDocument> visited = new LinkedHashMap<>();
    private Set<BsonKey> frontier = new LinkedHashSet<>();
    private final Holding holding;

    Search(PipelineRun run, Holding holding) {
      this.run = run;
      this.holding = holding;
    }

    /** Reads the documents that the frontier leads to, and makes a new frontier of them. */
    void visitNext(long depth) {
      Set<BsonKey> next = new LinkedHashSet<>();
      try (DocumentStream stream = open()) {
        for (BsonDocument one = stream.next(); one != null; one = stream.next()) {
          BsonKey id = BsonKey.of(one.get("_id"));
          if (visited.containsKey(id)) {
            continue;
          }
          visited.put(id, withDepth(one, depth));
          count(one);
          List<BsonValue> values = LookupStage.localValues(one, edges.from);
          values.forEach(value -> next.add(BsonKey.of(value, source.context().order())));
        }
      }
      frontier = next;
    }

    private DocumentStream open() {
      List<BsonValue> values = frontier.stream().map(BsonKey::value).toList();
      BsonDocument filter = LookupStage.equality(edges.to, values);
      if (edges.restriction != null) {
        filter = new BsonDocument("$and", new BsonArray(List.of(edges.restriction, filter)));
      }
      MatchStage match = MatchStage.of(filter, source.context());
      return source.with(source.stages().size(), match).open(run.fork());
    }

    private BsonDocument withDepth(BsonDocument document, long depth) {
      return output.depth == null
          ? document
          : Documents.with(document, output.depth, new BsonInt64(depth));
    }

    private void count(BsonDocument document) {
      if (!run.spill().fits(holding, VISITED_BYTES + Documents.heapBytes(document))) {
        throw new CommandException(
            ErrorCode.LOCATION_40099, "$graphLookup reached maximum memory consumption");
      }
    }
  }

  /** MongoDB's words for an argument that is no text. */
  static CommandException notText(String name, BsonValue value) {
    return new CommandException(
        ErrorCode.LOCATION_40103,
        "expected string as argument for " + name + ", found: " + BsonText.typeName(value));
  }
}
