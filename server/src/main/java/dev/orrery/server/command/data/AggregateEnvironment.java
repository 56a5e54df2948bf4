package dev.orrery.server.command.data;

import dev.orrery.language.aggregate.stage.ChangeStreamOptions;
import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.Output;
import dev.orrery.language.aggregate.stage.SourceQuery;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Truth;
import dev.orrery.language.number.Numbers;
import dev.orrery.language.query.Collation;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.collection.CollectionStatistics;
import dev.orrery.server.command.collection.ConfigDatabase;
import dev.orrery.server.command.collection.TimeSeries;
import dev.orrery.server.operation.Top;
import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.IndexUses;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.stream.ChangeHub;
import dev.orrery.server.stream.ChangeStream;
import dev.orrery.server.stream.CosmosShape;
import dev.orrery.storage.CollectionIdentity;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Collections and the server itself, as the pipeline of one aggregate command sees them. */
final class AggregateEnvironment implements Environment {
  /**
   * A group over fewer documents takes less than a few milliseconds, of which other threads could
   * save a part only, and they would be missing elsewhere.
   */
  private static final double SPLIT_DOCUMENTS_MIN = 2_000;

  private final DataServices services;
  private final ServerFacts facts;
  private final Sessions sessions;
  private final Top top;
  private final CommandContext context;
  private final Execution execution;
  private final ForeignReads foreign;
  private final boolean isUnchecked;
  private boolean isAdmitted;
  private @Nullable ChangeHub hub;
  private @Nullable CosmosShape shape;
  private @Nullable ChangeStream stream;

  AggregateEnvironment(
      DataServices services,
      AggregateCommand.Server server,
      CommandContext context,
      Execution execution,
      boolean isUnchecked) {
    this.services = services;
    this.facts = server.facts();
    this.sessions = server.sessions();
    this.top = server.top();
    this.context = context;
    this.execution = execution;
    this.foreign = new ForeignReads(execution);
    this.isUnchecked = isUnchecked;
  }

  /** What is read besides the pipeline's own collection. */
  ForeignReads foreign() {
    return foreign;
  }

  @Nullable CollectionStore find(Namespace namespace) {
    return services.databases().find(namespace.database(), namespace.collection());
  }

  @Override
  public @Nullable View view(Namespace namespace) {
    CollectionStore found = find(namespace);
    if (found == null) {
      CollectionStore series =
          services.databases().findSeries(namespace.database(), namespace.collection());
      return series == null
          ? null
          : new View(series.info().namespace(), TimeSeries.of(series.info()).packing());
    }
    if (!found.info().isView()) {
      return null;
    }
    BsonDocument options = found.info().options();
    var pipeline = new ArrayList<BsonDocument>();
    BsonValue stages = options.get("pipeline");
    if (stages != null) {
      stages.asArray().forEach(stage -> pipeline.add(stage.asDocument()));
    }
    if (context.transaction() != null) {
      TransactionStages.require(pipeline);
    }
    String on = options.getString("viewOn").getValue();
    return new View(new Namespace(namespace.database(), on), pipeline);
  }

  @Override
  public List<List<String>> uniqueKeys(Namespace collection, Collation collation) {
    CollectionStore found = find(collection);
    if (found == null) {
      return List.of(documentKey(collection));
    }
    var keys = new ArrayList<List<String>>();
    for (IndexSpec index : found.info().readyIndexes()) {
      boolean isWhole = index.isUnique() && index.partialFilter() == null;
      if (isWhole && collationOf(index).equals(collation)) {
        // A unique index is unique among the documents of one partition key.
        keys.add(withPartitionKey(found, index.keyPattern().keySet()));
      }
    }
    return keys;
  }

  private static Collation collationOf(IndexSpec index) {
    return index.collation() == null ? Collation.SIMPLE : Collation.parse(index.collation());
  }

  @Override
  public List<String> documentKey(Namespace collection) {
    CollectionStore found = find(collection);
    return found == null ? List.of("_id") : withPartitionKey(found, Set.of("_id"));
  }

  private static List<String> withPartitionKey(CollectionStore collection, Set<String> fields) {
    var all = new LinkedHashSet<String>();
    if (collection.info().partitionKey() != null) {
      all.add(collection.info().partitionKey());
    }
    all.addAll(fields);
    return List.copyOf(all);
  }

  @Override
  public RawStream read(Namespace namespace, SourceQuery source) {
    context.requireSame(namespace);
    CollectionStore collection = find(namespace);
    return collection == null ? listed(namespace, source) : plan(collection, source).open();
  }

  @Override
  public List<RawPart> readParts(Namespace namespace, SourceQuery source) {
    context.requireSame(namespace);
    CollectionStore collection = find(namespace);
    if (collection == null) {
      return List.of(check -> listed(namespace, source));
    }
    Planned planned = plan(collection, source);
    // What a transaction has written is for one thread at a time.
    List<QueryPlan> plans =
        context.transaction() == null ? parts(planned.plan) : List.of(planned.plan);
    if (plans.size() == 1) {
      return List.of(check -> planned.open());
    }
    var parts = new ArrayList<RawPart>();
    plans.forEach(plan -> parts.add(check -> PartReading.open(plan, planned.execution, check)));
    return parts;
  }

  /** The parts of a plan; one if it is done sooner than other threads have started. */
  static List<QueryPlan> parts(QueryPlan plan) {
    return plan.documents() < SPLIT_DOCUMENTS_MIN ? List.of(plan) : plan.parts();
  }

  @Override
  public Executor spareThreads() {
    return services.workers().spare();
  }

  /** A plan, and what counts its work. */
  private record Planned(QueryPlan plan, Execution execution) {
    RawStream open() {
      return new Reading(plan.open(execution));
    }
  }

  private Planned plan(CollectionStore collection, SourceQuery source) {
    Query query = PipelinePlans.query(collection, source).at(context.view());
    Targets targets = Plans.targets(query);
    Execution counting = foreign.enter(targets, context.work());
    if (counting == execution && !isAdmitted) {
      isAdmitted = true;
      context.work().admit(targets);
    }
    QueryPlan plan = PipelinePlans.plan(services.planner(), source, query, targets);
    context.operation().planned(plan);
    return new Planned(plan, counting);
  }

  /** Documents of the database config, or none. */
  private RawStream listed(Namespace namespace, SourceQuery source) {
    List<RawDocument> documents =
        namespace.database().equals(ConfigDatabase.NAME)
            ? new ConfigDatabase(services.databases(), services.clock())
                .find(namespace.collection())
            : null;
    if (documents == null) {
      return new Reading(null);
    }
    return new Listed(
        ListedDocuments.select(documents, PipelinePlans.query(null, source)).iterator());
  }

  /** Documents that no collection holds. */
  private record Listed(Iterator<RawDocument> documents) implements RawStream {
    @Override
    public @Nullable RawDocument next() {
      return documents.hasNext() ? documents.next() : null;
    }

    @Override
    public void close() {}
  }

  /** The documents of a plan; none without one. */
  private static final class Reading implements RawStream {
    private final @Nullable DocumentCursor cursor;
    private Map<String, BsonValue> metadata = Map.of();

    Reading(@Nullable DocumentCursor cursor) {
      this.cursor = cursor;
    }

    @Override
    public @Nullable RawDocument next() {
      PlanResult result = cursor == null ? null : cursor.next();
      metadata = result == null ? Map.of() : result.metadata();
      return result == null ? null : result.document();
    }

    @Override
    public Map<String, BsonValue> metadata() {
      return metadata;
    }

    @Override
    public void close() {
      if (cursor != null) {
        cursor.close();
      }
    }
  }

  /** A part of a plan, whose work is counted when it ends. */
  private static final class PartReading implements RawStream {
    private final DocumentCursor cursor;
    private final Execution all;
    private @Nullable Execution own;
    private Map<String, BsonValue> metadata = Map.of();

    private PartReading(DocumentCursor cursor, Execution all, Execution own) {
      this.cursor = cursor;
      this.all = all;
      this.own = own;
    }

    static RawStream open(QueryPlan plan, Execution all, Runnable check) {
      Execution own = all.part(check::run);
      return new PartReading(plan.open(own), all, own);
    }

    @Override
    public @Nullable RawDocument next() {
      PlanResult result = cursor.next();
      metadata = result == null ? Map.of() : result.metadata();
      return result == null ? null : result.document();
    }

    @Override
    public Map<String, BsonValue> metadata() {
      return metadata;
    }

    @Override
    public void close() {
      cursor.close();
      if (own != null) {
        all.add(own);
        own = null;
      }
    }
  }

  /**
   * Lets the pipeline follow changes.
   *
   * @param cosmos null for MongoDB's events
   */
  void follow(ChangeHub changes, @Nullable CosmosShape cosmos) {
    hub = changes;
    shape = cosmos;
  }

  /** The stream that the pipeline has opened. */
  ChangeStream stream() {
    return stream;
  }

  Execution execution() {
    return execution;
  }

  @Override
  public EventStream changes(Namespace namespace, ChangeStreamOptions options) {
    var request = new ChangeStream.Request(namespace, options, execution, shape, this::hasImages);
    stream = new ChangeStream(hub, request, this::present);
    return stream;
  }

  private boolean hasImages(long changeMillis) {
    return !services.databases().images().isOver(services.clock().millis() - changeMillis);
  }

  /** A document as it is now; null when it is gone, or its collection is another one. */
  private @Nullable RawDocument present(CollectionIdentity identity, RawDocument document) {
    CollectionStore collection = find(identity.namespace());
    if (collection == null || collection.info().id() != identity.id()) {
      return null;
    }
    RawDocument newest = find(dev.orrery.storage.View.NEWEST, collection, document);
    if (document.equals(newest)) {
      return newest;
    }
    // Told as soon as it was on disk, the change may still be on its way into the partition: what
    // is
    // there may be older. A view at a point waits for all commits before it.
    try (var now = services.databases().engine().pin()) {
      return find(now, collection, document);
    }
  }

  private @Nullable RawDocument find(
      dev.orrery.storage.View view, CollectionStore collection, RawDocument document) {
    RawValue key = collection.partitionKeyOf(document);
    byte[] primaryKey = collection.primaryKey(key, document.field("_id"));
    StoredDocument found =
        execution.await(view.partitionOf(collection, key).find(primaryKey, execution.meter()));
    return found == null ? null : found.document();
  }

  @Override
  public String geoField(Namespace namespace) {
    CollectionStore collection = find(namespace);
    if (collection == null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_NOT_FOUND,
          "$geoNear requires a geo index to run, but " + namespace + " does not exist");
    }
    String flat = geoField(collection, IndexField.Kind.GEO_2D, "2d");
    String onSphere =
        flat == null ? geoField(collection, IndexField.Kind.GEO_2DSPHERE, "2dsphere") : flat;
    return onSphere == null ? Environment.super.geoField(namespace) : onSphere;
  }

  private static @Nullable String geoField(
      CollectionStore collection, IndexField.Kind kind, String name) {
    List<IndexSpec> indexes =
        collection.info().readyIndexes().stream().filter(index -> index.has(kind)).toList();
    if (indexes.size() > 1) {
      throw new CommandException(
          ErrorCode.INDEX_NOT_FOUND,
          "There is more than one %s index on %s; unsure which to use for $geoNear"
              .formatted(name, collection.info().namespace()));
    }
    return indexes.stream()
        .flatMap(index -> index.fields().stream())
        .filter(field -> field.kind() == kind)
        .map(field -> field.path().dotted())
        .findFirst()
        .orElse(null);
  }

  @Override
  public boolean hasIndex(Namespace namespace, String field) {
    CollectionStore collection = find(namespace);
    return collection != null
        && collection.info().readyIndexes().stream()
            .filter(index -> !index.isSpecial())
            .map(index -> index.keyPattern().getFirstKey())
            .anyMatch(first -> first.equals(field) || first.contains("$**"));
  }

  @Override
  public BsonDocument collectionStatistics(Namespace namespace, BsonDocument specification) {
    var statistics = new CollectionStatistics(namespace, find(namespace));
    var document =
        new BsonDocument("ns", new BsonString(namespace.toString()))
            .append("host", new BsonString(facts.hostFor(context.connection())))
            .append("localTime", new BsonDateTime(services.clock().millis()));
    if (specification.containsKey("latencyStats")) {
      boolean hasHistograms =
          Truth.isTrue(specification.getDocument("latencyStats").get("histograms"));
      document.append("latencyStats", statistics.latencies(top, hasHistograms));
    }
    if (specification.containsKey("storageStats")) {
      BsonValue scale = specification.getDocument("storageStats").get("scale");
      long divisor = Numbers.isNumber(scale) ? Numbers.toLong(scale) : 1;
      document.append("storageStats", statistics.requireStorage(divisor));
    }
    if (specification.containsKey("count")) {
      document.append("count", new BsonInt64(statistics.requireCount()));
    }
    if (specification.containsKey("queryExecStats")) {
      IndexUses uses = services.planner().indexUses();
      document.append("queryExecStats", statistics.requireScans(uses));
    }
    return document;
  }

  @Override
  public List<BsonDocument> indexStatistics(Namespace namespace) {
    return new CollectionStatistics(namespace, find(namespace))
        .indexes(services.planner().indexUses(), facts.hostFor(context.connection()));
  }

  @Override
  public List<BsonDocument> currentOperations(BsonDocument specification) {
    var options = CurrentOperations.Options.of(specification);
    return new CurrentOperations(services.operations(), services.cursors(), services.clock())
        .list(context, facts, options);
  }

  @Override
  public List<BsonDocument> shardedData() {
    return new ConfigDatabase(services.databases(), services.clock()).distribution();
  }

  @Override
  public List<BsonDocument> sessions(@Nullable List<String> owners) {
    List<String> some =
        owners != null && owners.isEmpty() ? List.of(context.connection().login().owner()) : owners;
    return sessions.all().stream()
        .filter(session -> some == null || some.contains(session.id().owner()))
        .map(
            session ->
                new BsonDocument("_id", session.id().toBson())
                    .append("lastUse", new BsonDateTime(session.lastUseMillis())))
        .toList();
  }

  /** Plans are made anew for each query. */
  @Override
  public List<BsonDocument> planCache(Namespace namespace) {
    if (find(namespace) == null) {
      throw new CommandException(
          ErrorCode.LOCATION_50933, "collection '" + namespace + "' does not exist");
    }
    return List.of();
  }

  @Override
  public Output output() {
    return new AggregateOutput(services, context, isUnchecked);
  }
}
