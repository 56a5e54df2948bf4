package dev.orrery.server.console.api;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.console.http.HttpReply;
import dev.orrery.server.console.http.JsonText;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import java.util.List;
import java.util.Locale;

/**
 * All collections at a glance: {@code GET /collections}; and what another throughput would do to
 * one: {@code GET /collections/{database}/{collection}/forecast}.
 */
final class CollectionsApi {
  private static final long UNITS_MAX = 1_000_000_000;

  private final Sources sources;

  CollectionsApi(Sources sources) {
    this.sources = sources;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/collections", Route.now(this::list)),
        Route.get("/collections/{database}/{collection}/forecast", Route.now(this::forecast)));
  }

  private HttpReply list(ApiCall call) {
    JsonText json = JsonText.object().beginArray("collections");
    for (CollectionStore collection : sources.databases().engine().collections()) {
      CollectionInfo info = collection.info();
      var resource =
          Resource.collection(info.namespace().database(), info.namespace().collection());
      if (call.caller().allows(sources.access(), Action.COLL_STATS, resource)) {
        write(json, collection);
      }
    }
    return HttpReply.json(200, json.end().end().toString());
  }

  private void write(JsonText json, CollectionStore collection) {
    CollectionInfo info = collection.info();
    PartitionStatistics sum = PartitionStatistics.NONE;
    boolean isKnown = true;
    List<PartitionStore> partitions = collection.partitions();
    for (PartitionStore partition : partitions) {
      PartitionStatistics statistics = partition.statisticsAtHand();
      isKnown &= statistics != null;
      sum = statistics == null ? sum : sum.plus(statistics);
    }
    json.beginObject()
        .field("database", info.namespace().database())
        .field("collection", info.namespace().collection())
        .field("view", info.isView())
        .field("partitionKey", info.partitionKey())
        .field("partitions", partitions.size())
        .field("indexes", info.indexes().size());
    if (isKnown) {
      json.field("documents", sum.documents()).field("bytes", sum.bytes());
    }
    Throughput own = Throughput.fromBson(info.throughput());
    Throughput common = sources.databases().throughputs().of(info.namespace().database());
    Throughput present = own.isProvisioned() ? own : common;
    if (present.isProvisioned()) {
      json.beginObject("throughput")
          .field("mode", present.mode().name().toLowerCase(Locale.ROOT))
          .field("unitsPerSecond", present.unitsPerSecond())
          .field("shared", !own.isProvisioned())
          .end();
    }
    json.end();
  }

  /** The collection of a path that the caller may see the statistics of. */
  static CollectionStore require(Sources sources, ApiCall call) {
    String database = call.name("database");
    String name = call.name("collection");
    Resource resource = Resource.collection(database, name);
    if (!call.caller().allows(sources.access(), Action.COLL_STATS, resource)) {
      throw ApiException.forbidden("the right collStats is needed on " + database + "." + name);
    }
    CollectionStore collection = sources.databases().find(database, name);
    if (collection == null || collection.info().isView()) {
      throw ApiException.notFound("there is no collection %s.%s".formatted(database, name));
    }
    return collection;
  }

  private HttpReply forecast(ApiCall call) {
    CollectionStore collection = require(sources, call);
    long units = call.number("unitsPerSecond", 400, 1, UNITS_MAX);
    long most = sources.databases().provisioning().partitionUnits();
    int present = collection.partitions().size();
    boolean canSplit = collection.info().partitionKey() != null;
    int wanted = Throughput.manual(units).partitions(most);
    int then = canSplit ? Math.max(present, wanted) : 1;
    double each = Math.min((double) units / then, most);
    JsonText json =
        JsonText.object()
            .field("unitsPerSecond", units)
            .field("partitions", present)
            .field("partitionsThen", then)
            .field("splits", then - present)
            .field("unitsPerPartition", each)
            .field("usableUnits", each * then)
            .field("canSplit", canSplit);
    return HttpReply.json(200, json.end().toString());
  }
}
