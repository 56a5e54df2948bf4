package dev.orrery.server.console.api;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.console.history.LiveTraffic;
import dev.orrery.server.console.http.HttpReply;
import dev.orrery.server.console.http.JsonText;
import dev.orrery.server.throughput.Throughput;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageFigures;
import dev.orrery.value.Namespace;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What goes on now and went on in the last minutes, of the server, a database or a collection:
 * {@code GET /overview}; and what the server is: {@code GET /server}.
 */
final class OverviewApi {
  private final Sources sources;

  OverviewApi(Sources sources) {
    this.sources = sources;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/overview", Route.now(this::overview)),
        Route.get("/server", Route.now(this::server)));
  }

  private HttpReply server(ApiCall call) {
    Sources.Facts facts = sources.facts();
    JsonText json =
        JsonText.object()
            .field("version", facts.version())
            .field("profile", facts.profile())
            .field("ephemeral", facts.isEphemeral())
            .field("authentication", facts.needsLogin())
            .field("tls", facts.tls().name().toLowerCase(Locale.ROOT))
            .field("port", facts.mongoPort().getAsInt())
            .beginObject("limits")
            .field("logicalPartitionBytes", facts.logicalPartitionBytes())
            .field("physicalPartitionBytes", facts.physicalPartitionBytes())
            .field("partitionUnits", sources.databases().provisioning().partitionUnits())
            .end();
    return HttpReply.json(200, json.end().toString());
  }

  private HttpReply overview(ApiCall call) {
    String database = call.query("database");
    String collection = call.query("collection");
    requireRight(call, database, collection);
    LiveTraffic live = sources.history().live();
    JsonText json =
        JsonText.object()
            .field("second", live.lastSecond())
            .field("database", database)
            .field("collection", collection);
    storage(json, database, collection);
    throughput(json, database, collection);
    if (database == null) {
      running(json);
    }
    json.beginArray("points");
    points(live, database, collection).forEach(point -> write(json, point));
    return HttpReply.json(200, json.end().end().toString());
  }

  private void requireRight(ApiCall call, @Nullable String database, @Nullable String collection) {
    boolean isAllowed;
    if (database == null) {
      isAllowed = allows(call, Action.SERVER_STATUS, Resource.CLUSTER);
    } else if (collection == null) {
      isAllowed = allows(call, Action.DB_STATS, Resource.database(database));
    } else {
      isAllowed = allows(call, Action.COLL_STATS, Resource.collection(database, collection));
    }
    if (!isAllowed) {
      throw ApiException.forbidden("not authorized to see the statistics of this");
    }
  }

  private boolean allows(ApiCall call, Action action, Resource resource) {
    return call.caller().allows(sources.access(), action, resource);
  }

  private static List<LiveTraffic.Point> points(
      LiveTraffic live, @Nullable String database, @Nullable String collection) {
    if (database == null) {
      return live.ofServer();
    }
    return collection == null ? live.of(database) : live.of(new Namespace(database, collection));
  }

  private static void write(JsonText json, LiveTraffic.Point point) {
    json.beginArray()
        .item(point.epochSecond())
        .item(point.units())
        .item(point.ok())
        .item(point.throttled())
        .item(point.failed())
        .item(point.medianMillis())
        .item(point.slowMillis())
        .end();
  }

  private void running(JsonText json) {
    Sources.Running running = sources.running();
    json.field("connections", running.network().connections())
        .field("operations", running.operations().running().size())
        .field("cursors", running.cursors().count())
        .field("sessions", running.sessions().count())
        .field("transactions", running.transactions().open().size());
  }

  private List<CollectionStore> collections(
      @Nullable String database, @Nullable String collection) {
    if (database == null) {
      return sources.databases().engine().collections();
    }
    if (collection == null) {
      return sources.databases().in(database);
    }
    CollectionStore one = sources.databases().find(database, collection);
    if (one == null) {
      throw ApiException.notFound("there is no collection %s.%s".formatted(database, collection));
    }
    return List.of(one);
  }

  /** Partitions that nobody has opened since the start are not counted, but told of. */
  private void storage(JsonText json, @Nullable String database, @Nullable String collection) {
    PartitionStatistics sum = PartitionStatistics.NONE;
    long partitions = 0;
    long unopened = 0;
    List<CollectionStore> all = collections(database, collection);
    for (CollectionStore each : all) {
      for (PartitionStore partition : each.partitions()) {
        PartitionStatistics statistics = partition.statisticsAtHand();
        partitions++;
        if (statistics == null) {
          unopened++;
        } else {
          sum = sum.plus(statistics);
        }
      }
    }
    json.beginObject("storage")
        .field("collections", all.size())
        .field("partitions", partitions)
        .field("unopenedPartitions", unopened)
        .field("documents", sum.documents())
        .field("bytes", sum.bytes());
    StorageFigures figures = sources.databases().engine().figures();
    if (database == null && figures.logBytes() >= 0) {
      json.field("logBytes", figures.logBytes())
          .field("deadBytes", figures.deadBytes())
          .field("freeBytes", figures.freeBytes());
    }
    json.end();
  }

  private void throughput(JsonText json, @Nullable String database, @Nullable String collection) {
    double provisioned = 0;
    double now = 0;
    boolean isLimited = false;
    var shared = new HashSet<String>();
    for (CollectionStore each : collections(database, collection)) {
      Throughput own = Throughput.fromBson(each.info().throughput());
      if (own.isProvisioned()) {
        isLimited = true;
        provisioned += own.unitsPerSecond();
        now += sources.metering().provisionedNow(each, own);
      } else {
        shared.add(each.info().namespace().database());
      }
    }
    for (String name : shared) {
      Throughput common = sources.databases().throughputs().of(name);
      if (common.isProvisioned()) {
        isLimited = true;
        provisioned += common.unitsPerSecond();
        now += common.unitsPerSecond();
      }
    }
    json.beginObject("throughput")
        .field("limited", isLimited)
        .field("unitsPerSecond", provisioned)
        .field("now", now)
        .end();
  }
}
