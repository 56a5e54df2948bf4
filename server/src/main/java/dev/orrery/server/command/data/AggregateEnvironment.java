package dev.orrery.server.command.data;

import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.Output;
import dev.orrery.language.aggregate.stage.SourceQuery;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.collection.CollectionStatistics;
import dev.orrery.server.command.collection.ConfigDatabase;
import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;
import dev.orrery.server.session.Sessions;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
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
  private final CommandContext context;
  private final Execution execution;
  private final boolean isUnchecked;
  private boolean isAdmitted;

  AggregateEnvironment(
      DataServices services,
      AggregateCommand.Server server,
      CommandContext context,
      Execution execution,
      boolean isUnchecked) {
    this.services = services;
    this.facts = server.facts();
    this.sessions = server.sessions();
    this.context = context;
    this.execution = execution;
    this.isUnchecked = isUnchecked;
  }

  @Nullable CollectionStore find(Namespace namespace) {
    return services.databases().find(namespace.database(), namespace.collection());
  }

  @Override
  public @Nullable View view(Namespace namespace) {
    CollectionStore found = find(namespace);
    if (found == null || !found.info().isView()) {
      return null;
    }
    BsonDocument options = found.info().options();
    var pipeline = new ArrayList<BsonDocument>();
    BsonValue stages = options.get("pipeline");
    if (stages != null) {
      stages.asArray().forEach(stage -> pipeline.add(stage.asDocument()));
    }
    String on = options.getString("viewOn").getValue();
    return new View(new Namespace(namespace.database(), on), pipeline);
  }

  @Override
  public List<List<String>> uniqueKeys(Namespace collection) {
    var keys = new ArrayList<List<String>>();
    keys.add(documentKey(collection));
    CollectionStore found = find(collection);
    if (found != null) {
      for (IndexSpec index : found.info().readyIndexes()) {
        if (index.isUnique() && index.partialFilter() == null) {
          // A unique index is unique among the documents of one partition key.
          keys.add(withPartitionKey(found, index.keyPattern().keySet()));
        }
      }
    }
    return keys;
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
    CollectionStore collection = find(namespace);
    return collection == null
        ? listed(namespace, source)
        : new Reading(plan(collection, source).open(execution));
  }

  @Override
  public List<RawPart> readParts(Namespace namespace, SourceQuery source) {
    CollectionStore collection = find(namespace);
    if (collection == null) {
      return List.of(check -> listed(namespace, source));
    }
    List<QueryPlan> plans = parts(plan(collection, source));
    if (plans.size() == 1) {
      return List.of(check -> new Reading(plans.get(0).open(execution)));
    }
    var parts = new ArrayList<RawPart>();
    plans.forEach(plan -> parts.add(check -> PartReading.open(plan, execution, check)));
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

  private QueryPlan plan(CollectionStore collection, SourceQuery source) {
    Query query = query(collection, source);
    Targets targets = Plans.targets(query);
    if (!isAdmitted) {
      isAdmitted = true; // the first read is that of the pipeline's own collection
      context.work().admit(targets);
    }
    QueryPlan plan = services.planner().plan(query, targets);
    context.operation().planned(plan);
    return plan;
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
    return new Listed(ListedDocuments.select(documents, query(null, source)).iterator());
  }

  static Query query(@Nullable CollectionStore collection, SourceQuery source) {
    SourceQuery.Criteria criteria = source.criteria();
    Query query =
        Query.of(collection, criteria.filter(), criteria.document())
            .with(criteria.collation())
            .with(new Query.Window(source.skip(), source.limit()));
    if (criteria.hint() != null) {
      query = query.with(new Query.Hints(criteria.hint(), null, null));
    }
    return source.sort() == null
        ? query
        : query.with(new Query.Order(source.sort(), source.sortDocument(), false));
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
  private record Reading(@Nullable DocumentCursor cursor) implements RawStream {
    @Override
    public @Nullable RawDocument next() {
      PlanResult result = cursor == null ? null : cursor.next();
      return result == null ? null : result.document();
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
      return result == null ? null : result.document();
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

  @Override
  public boolean hasIndex(Namespace namespace, String field) {
    CollectionStore collection = find(namespace);
    return collection != null
        && collection.info().readyIndexes().stream()
            .map(index -> index.keyPattern().getFirstKey())
            .anyMatch(first -> first.equals(field) || first.contains("$**"));
  }

  @Override
  public BsonDocument collectionStatistics(Namespace namespace, BsonDocument specification) {
    var statistics = new CollectionStatistics(namespace, find(namespace));
    var document =
        new BsonDocument("ns", new BsonString(namespace.toString()))
            .append("host", new BsonString("localhost"))
            .append("localTime", new BsonDateTime(services.clock().millis()));
    if (specification.containsKey("latencyStats")) {
      document.append("latencyStats", CollectionStatistics.noLatencies());
    }
    if (specification.containsKey("storageStats")) {
      document.append("storageStats", statistics.storage(specification.get("storageStats")));
    }
    if (specification.containsKey("count")) {
      document.append("count", new BsonInt64(statistics.requireCount()));
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
