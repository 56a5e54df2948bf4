package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.ChangeStreamOptions;
import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.Output;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.SourceQuery;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.query.Collation;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/** Collections in memory, for pipelines without a server. */
final class MemoryCollections implements Environment, Output {
  private final Map<Namespace, Map<BsonValue, BsonDocument>> collections = new HashMap<>();
  private int parts = 1;
  private Executor spareThreads = Environment.super.spareThreads();

  /** Hands documents out in so many parts, to be read on these threads too. */
  void divide(int count, Executor threads) {
    parts = count;
    spareThreads = threads;
  }

  @Override
  public Executor spareThreads() {
    return spareThreads;
  }

  @Override
  public List<RawPart> readParts(Namespace namespace, SourceQuery query) {
    var all = new ArrayList<RawDocument>();
    try (RawStream stream = read(namespace, query)) {
      for (RawDocument one = stream.next(); one != null; one = stream.next()) {
        all.add(one);
      }
    }
    var list = new ArrayList<RawPart>();
    for (int i = 0; i < parts; i++) {
      // The longer towards the end, so that parts don't end in order.
      int from = all.size() * i * i / (parts * parts);
      int to = all.size() * (i + 1) * (i + 1) / (parts * parts);
      list.add(check -> stream(all.subList(from, to).iterator(), check));
    }
    return list;
  }

  Pipeline parse(Namespace namespace, List<BsonDocument> stages) {
    var context = PipelineContext.of(namespace, ParseContext.at(0), Collation.SIMPLE, this);
    return Pipeline.parse(stages, context, null);
  }

  List<BsonDocument> run(Namespace namespace, String stages, PipelineRun.Spill spill) {
    return run(namespace, Pipeline.documents(BsonArray.parse(stages)), spill);
  }

  List<BsonDocument> run(Namespace namespace, List<BsonDocument> stages, PipelineRun.Spill spill) {
    var results = new ArrayList<BsonDocument>();
    try (var stream = parse(namespace, stages).run(new PipelineRun(this, spill))) {
      for (RawDocument one = stream.next(); one != null; one = stream.next()) {
        results.add(one.toBsonDocument());
      }
    }
    return results;
  }

  void put(Namespace namespace, List<BsonDocument> documents) {
    var byId = new LinkedHashMap<BsonValue, BsonDocument>();
    documents.forEach(one -> byId.put(one.get("_id"), one));
    collections.put(namespace, byId);
  }

  List<BsonDocument> documents(Namespace namespace) {
    return new ArrayList<>(collections.getOrDefault(namespace, Map.of()).values());
  }

  @Override
  public @Nullable View view(Namespace namespace) {
    return null;
  }

  @Override
  public RawStream read(Namespace namespace, SourceQuery query) {
    var found = new ArrayList<RawDocument>();
    for (BsonDocument one : documents(namespace)) {
      RawDocument raw = RawDocument.of(one);
      if (query.criteria().filter().matches(raw)) {
        found.add(raw);
      }
    }
    if (query.sort() != null) {
      found.sort(
          (left, right) -> Arrays.compareUnsigned(query.sort().key(left), query.sort().key(right)));
    }
    long limit = query.limit() == 0 ? Long.MAX_VALUE : query.limit();
    Iterator<RawDocument> window = found.stream().skip(query.skip()).limit(limit).iterator();
    return stream(window, () -> {});
  }

  private static RawStream stream(Iterator<RawDocument> documents, Runnable check) {
    return new RawStream() {
      @Override
      public @Nullable RawDocument next() {
        check.run();
        return documents.hasNext() ? documents.next() : null;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public EventStream changes(Namespace namespace, ChangeStreamOptions options) {
    throw new UnsupportedOperationException("nothing changes here");
  }

  @Override
  public boolean hasIndex(Namespace namespace, String field) {
    return field.equals("_id");
  }

  @Override
  public BsonDocument collectionStatistics(Namespace namespace, BsonDocument specification) {
    return new BsonDocument("ns", new BsonString(namespace.toString()));
  }

  @Override
  public List<BsonDocument> indexStatistics(Namespace namespace) {
    var key = new BsonDocument("_id", new BsonInt32(1));
    var spec =
        new BsonDocument("v", new BsonInt32(2))
            .append("key", key)
            .append("name", new BsonString("_id_"));
    return List.of(
        new BsonDocument("name", new BsonString("_id_")).append("key", key).append("spec", spec));
  }

  @Override
  public List<BsonDocument> currentOperations(BsonDocument specification) {
    return List.of();
  }

  @Override
  public List<BsonDocument> sessions(@Nullable List<String> owners) {
    return List.of();
  }

  @Override
  public List<BsonDocument> planCache(Namespace namespace) {
    return List.of();
  }

  @Override
  public Output output() {
    return this;
  }

  @Override
  public void requireWritable(Namespace target) {}

  @Override
  public List<List<String>> uniqueKeys(Namespace target, Collation collation) {
    return List.of(List.of("_id"));
  }

  @Override
  public List<String> documentKey(Namespace target) {
    return List.of("_id");
  }

  @Override
  public void insert(Namespace target, BsonDocument document) {
    BsonValue id = document.getOrDefault("_id", new BsonObjectId(new ObjectId()));
    var complete = new BsonDocument("_id", id);
    complete.putAll(document);
    collections.computeIfAbsent(target, key -> new LinkedHashMap<>()).put(id, complete);
  }

  @Override
  public @Nullable Existing find(Namespace target, BsonDocument key, Collation collation) {
    for (BsonDocument one : documents(target)) {
      if (one.entrySet().containsAll(key.entrySet())) {
        return new Found(target, one);
      }
    }
    return null;
  }

  /** A document of a collection. */
  private final class Found implements Existing {
    private final Namespace target;
    private final BsonDocument document;

    Found(Namespace target, BsonDocument document) {
      this.target = target;
      this.document = document;
    }

    @Override
    public BsonDocument document() {
      return document;
    }

    @Override
    public boolean replace(BsonDocument after, boolean isWhole) {
      collections.get(target).put(document.get("_id"), after);
      return true;
    }
  }

  @Override
  public Replacement replace(Namespace target) {
    var temporary = new Namespace(target.database(), "tmp");
    put(temporary, List.of());
    return new Replacement() {
      @Override
      public void insert(BsonDocument document) {
        MemoryCollections.this.insert(temporary, document);
      }

      @Override
      public void commit() {
        put(target, documents(temporary));
      }

      @Override
      public void close() {
        collections.remove(temporary);
      }
    };
  }
}
