package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.SourceQuery;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A parsed pipeline: immutable, to be opened any number of times. What its first stages ask of the
 * collection becomes a query, so that an index may serve it.
 */
public final class Pipeline {
  private static final int STAGES_MAX = 1000;
  private static final Set<Stage.Trait> PLACES =
      Set.of(Stage.Trait.NOT_IN_FACET, Stage.Trait.NOT_IN_LOOKUP, Stage.Trait.NOT_IN_UNION);

  /** What a document may have beyond 16 MB, as MongoDB allows inside the server. */
  private static final int RESULT_BYTES_MAX = (16 << 20) + (16 << 10);

  private final PipelineContext context;
  private final List<Stage> stages;
  private final @Nullable BsonValue hint;

  private Pipeline(PipelineContext context, List<Stage> stages, @Nullable BsonValue hint) {
    this.context = context;
    this.stages = List.copyOf(stages);
    this.hint = hint;
  }

  /** Parses, checks and optimizes the pipeline of a command. */
  public static Pipeline parse(
      List<BsonDocument> stages, PipelineContext context, @Nullable BsonValue hint) {
    Pipeline parsed = parseInner(stages, context);
    PipelineRules.requireValid(parsed.stages, context);
    Metadata.require(parsed.stages);
    return new Pipeline(context, optimized(parsed.stages), hint);
  }

  /** Refuses what is no stage, also inside of others, before anything else is looked at. */
  public static void requireNames(List<BsonDocument> stages) {
    stages.forEach(Stages::requireNames);
  }

  private static List<Stage> optimized(List<Stage> stages) {
    Supplier<List<Stage>> work = () -> Optimizer.optimize(stages);
    String words = "Failed to optimize pipeline";
    // MongoDB optimizes what follows a change stream within the whole, and says so.
    return isOfChanges(stages)
        ? StageFailures.within(words, () -> StageFailures.within(words, work))
        : StageFailures.within(words, work);
  }

  private static boolean isOfChanges(List<Stage> stages) {
    return !stages.isEmpty() && stages.get(0) instanceof ChangeStreamStage;
  }

  /** Whether it follows changes, and so has no end. */
  public boolean isOfChanges() {
    return isOfChanges(stages);
  }

  /** Parses a pipeline inside of another. */
  static Pipeline parseInner(List<BsonDocument> stages, PipelineContext context) {
    if (stages.size() > STAGES_MAX) {
      throw new CommandException(
          ErrorCode.LOCATION_7749501,
          "Pipeline length must be no longer than " + STAGES_MAX + " stages");
    }
    stages.forEach(Stages::requireForm);
    var parsed = new ArrayList<Stage>();
    for (BsonDocument stage : stages) {
      String name = stage.getFirstKey();
      PipelineRules.requireNotNear(parsed, name);
      parsed.addAll(Stages.parse(name, stage.get(name), context));
    }
    PipelineRules.leaveOutBeforeNear(parsed);
    PipelineRules.requirePositions(parsed);
    return new Pipeline(context, parsed, null);
  }

  /** The documents of an array that is a pipeline. */
  static List<BsonDocument> documents(String name, BsonValue value) {
    if (!value.isArray()) {
      throw StageFailures.typeMismatch("'" + name + "' option must be specified as an array");
    }
    return documents(value.asArray());
  }

  /** The stages of a pipeline, each of which must be a document. */
  public static List<BsonDocument> documents(List<BsonValue> stages) {
    var documents = new ArrayList<BsonDocument>();
    for (BsonValue stage : stages) {
      if (!stage.isDocument()) {
        throw StageFailures.typeMismatch("Each element of the 'pipeline' array must be an object");
      }
      documents.add(stage.asDocument());
    }
    return documents;
  }

  PipelineContext context() {
    return context;
  }

  List<Stage> stages() {
    return stages;
  }

  Pipeline optimize() {
    return new Pipeline(context, Optimizer.optimize(stages), hint);
  }

  /** The same pipeline with one more stage at that place, or before it if it gives the same. */
  Pipeline with(int position, Stage stage) {
    var changed = new ArrayList<>(stages);
    changed.add(Optimizer.place(stages, position, stage), stage);
    return new Pipeline(context, changed, hint);
  }

  /** Some of its stages, without the check of their positions. */
  Pipeline part(int from, int to) {
    return new Pipeline(context, stages.subList(from, to), hint);
  }

  Pipeline followedBy(Stage stage) {
    var all = new ArrayList<>(stages);
    all.add(stage);
    return new Pipeline(context, all, hint);
  }

  Pipeline followedBy(Pipeline other) {
    var all = new ArrayList<>(stages);
    all.addAll(other.stages);
    return new Pipeline(context, all, hint);
  }

  /** Whether it writes, and so ends without results. */
  public boolean isWriting() {
    return !stages.isEmpty() && stages.get(stages.size() - 1).traits().contains(Stage.Trait.LAST);
  }

  /** What its stages say of the pipelines that they may be a part of. */
  Set<Stage.Trait> places() {
    var places = EnumSet.noneOf(Stage.Trait.class);
    for (Stage stage : stages) {
      places.addAll(stage.traits());
    }
    places.retainAll(PLACES);
    return places;
  }

  /** Whether it reads a collection, not documents that it makes itself. */
  boolean isOnCollection() {
    return stages.isEmpty() || !stages.get(0).traits().contains(Stage.Trait.FIRST);
  }

  /** Whether a second run on the same data surely gives the same. */
  boolean isRepeatable() {
    return context.variables().isEmpty()
        && stages.stream().noneMatch(stage -> stage.name().equals("$sample"));
  }

  /** The stage that finds the nearest, if it begins with one. */
  private @Nullable GeoNearStage nearest() {
    return !stages.isEmpty() && stages.get(0) instanceof GeoNearStage near ? near : null;
  }

  /** The documents it gives; failures come in bare words. */
  DocumentStream open(PipelineRun run) {
    return open(run, null);
  }

  private DocumentStream open(PipelineRun run, @Nullable List<StreamMeter> meters) {
    if (!isOnCollection()) {
      List<Stage> all = isOfChanges() ? EventPlaces.known(stages) : stages;
      return openAll(all, DocumentStream.of(Collections.emptyIterator()), run, meters);
    }
    var head = Head.of(stages);
    var rest = stages.subList(head.length(), stages.size());
    SourceQuery query = query(head, rest, run);
    var split = SplitGroup.find(head, rest);
    if (split != null) {
      var parts = run.environment().readParts(context.namespace(), query);
      if (parts.size() > 1) {
        DocumentStream groups = metered(split.open(parts, run, meters), meters);
        return openAll(split.after(), groups, run, meters);
      }
      return openAll(rest, source(parts.get(0).open(() -> {}), rest, run, meters), run, meters);
    }
    var raw = run.environment().read(context.namespace(), query);
    return openAll(rest, source(raw, rest, run, meters), run, meters);
  }

  private SourceQuery query(Head head, List<Stage> rest, PipelineRun run) {
    SourceQuery query = head.query(SourceQuery.all(context.collation(), hint), run, stages);
    return query.with(head.demand(rest));
  }

  private static DocumentStream source(
      Environment.RawStream raw,
      List<Stage> rest,
      PipelineRun run,
      @Nullable List<StreamMeter> meters) {
    return metered(Decoding.of(raw, rest, run.scope()), meters);
  }

  /** What it makes of documents that somebody else provides. */
  DocumentStream openOn(DocumentStream input, PipelineRun run) {
    return openAll(stages, input, run, null);
  }

  static DocumentStream openAll(
      List<Stage> stages,
      DocumentStream input,
      PipelineRun run,
      @Nullable List<StreamMeter> meters) {
    DocumentStream stream = input;
    for (Stage stage : stages) {
      DocumentStream opened = new WatchedStream(stage.open(stream, run));
      stream = metered(Metadata.isKeptBy(stage) ? opened : Metadata.lost(opened, run), meters);
    }
    return stream;
  }

  private static DocumentStream metered(DocumentStream stream, @Nullable List<StreamMeter> meters) {
    if (meters == null) {
      return stream;
    }
    var meter = new StreamMeter(stream);
    meters.add(meter);
    return meter;
  }

  /** Runs the pipeline for a client: failures say where they happened. */
  public Environment.RawStream run(PipelineRun run) {
    GeoNearStage nearest = nearest();
    if (nearest != null) {
      nearest.query(SourceQuery.all(context.collation(), hint), run); // fails in its own words
    }
    DocumentStream stream =
        StageFailures.within("PlanExecutor error during aggregation", () -> open(run));
    return new Environment.RawStream() {
      @Override
      public @Nullable RawDocument next() {
        return StageFailures.within(
            "PlanExecutor error during aggregation",
            () -> {
              BsonDocument next = stream.next();
              return next == null
                  ? null
                  : requireSmall(Documents.encodeResult(next, RESULT_BYTES_MAX));
            });
      }

      @Override
      public void close() {
        stream.close();
      }
    };
  }

  /** Follows changes: null means that there is nothing yet. Failures come in bare words. */
  public DocumentStream follow(PipelineRun run) {
    return open(run);
  }

  /** A document as clients get it. */
  public static RawDocument encodeResult(BsonDocument document) {
    return requireSmall(Documents.encodeResult(document, RESULT_BYTES_MAX));
  }

  private static RawDocument requireSmall(RawDocument document) {
    if (document.length() > RESULT_BYTES_MAX) {
      throw new CommandException(
          ErrorCode.BSON_OBJECT_TOO_LARGE,
          "BSONObj size: %d (0x%X) is invalid. Size must be between 0 and %d(16MB)"
              .formatted(document.length(), document.length(), RESULT_BYTES_MAX));
    }
    return document;
  }

  /** Notes what stages read of their input; everything if the end is reached. */
  static void addDependencies(List<Stage> stages, Dependencies dependencies) {
    Set<String> generated = new HashSet<>();
    for (Stage stage : stages) {
      var own = new Dependencies();
      boolean isExhaustive = stage.addDependencies(own);
      own.fields().stream()
          .filter(path -> !generated.contains(Documents.head(path)))
          .forEach(dependencies::addField);
      if (own.needsWholeDocument()) {
        dependencies.addWholeDocument();
      }
      if (isExhaustive) {
        return;
      }
      generated.addAll(stage.generatedFields());
    }
    dependencies.addWholeDocument();
  }

  /**
   * The query that its first stages make, and the other stages, for explain.
   *
   * @param query null if it does not read a collection
   * @param statistics of the query, if there is one, and each stage; empty if it did not run
   * @param split null if partitions can't group documents for themselves
   */
  public record Explained(
      @Nullable SourceQuery query,
      List<BsonDocument> stages,
      List<Measured> statistics,
      @Nullable Split split) {}

  /** What every partition does by itself, if there are several, and what is done after that. */
  public record Split(List<BsonDocument> partitionPart, List<BsonDocument> mergingPart) {}

  /** How many documents a stage gave, and how long that took with all before it. */
  public record Measured(long returned, long millis) {}

  /** How it would run. */
  public Explained explained(PipelineRun run) {
    return explained(run, List.of());
  }

  /** How it ran, which it does now, without results. */
  public Explained explainedAfter(PipelineRun run) {
    var meters = new ArrayList<StreamMeter>();
    StageFailures.within(
        "PlanExecutor error during aggregation",
        () -> {
          try (DocumentStream stream = open(run, meters)) {
            while (stream.next() != null) {}
          }
          return meters;
        });
    return explained(run, meters.stream().map(StreamMeter::measured).toList());
  }

  private Explained explained(PipelineRun run, List<Measured> statistics) {
    if (!isOnCollection()) {
      return new Explained(null, specifications(stages), statistics, null);
    }
    var head = Head.of(stages);
    var rest = stages.subList(head.length(), stages.size());
    SourceQuery query = query(head, rest, run);
    if (nearest() != null) { // half of the stage is the query
      List<Measured> others = new ArrayList<>(statistics);
      if (!others.isEmpty()) {
        others.remove(1);
      }
      return new Explained(query, specifications(stages.subList(1, stages.size())), others, null);
    }
    var group = SplitGroup.find(head, rest);
    Split split =
        group == null
            ? null
            : new Split(group.partitionPart(query.criteria().document()), group.mergingPart());
    return new Explained(query, specifications(rest), statistics, split);
  }

  private static List<BsonDocument> specifications(List<Stage> stages) {
    return stages.stream().map(stage -> stage.specification().clone()).toList();
  }
}
