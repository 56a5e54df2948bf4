package dev.orrery.server.console.api;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.console.history.HeatHistory;
import dev.orrery.server.console.history.RepartitionLog;
import dev.orrery.server.console.history.Resolution;
import dev.orrery.server.console.history.UsageHistory;
import dev.orrery.server.console.http.HttpReply;
import dev.orrery.server.console.http.JsonText;
import dev.orrery.server.throughput.UsageLog;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.partition.PartitionMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Load by time and partition, and what it is made of: {@code GET
 * /collections/{database}/{collection}/heat}, {@code .../heat/cell} and {@code .../shapes/{id}}.
 */
final class HeatApi {
  private static final int KEYS_SHOWN = 20;

  /** What belongs to a connection, not to a request of that shape. */
  private static final Set<String> ENVELOPE =
      Set.of(
          "$db",
          "$clusterTime",
          "lsid",
          "txnNumber",
          "$readPreference",
          "apiVersion",
          "apiStrict",
          "apiDeprecationErrors",
          "readConcern",
          "writeConcern",
          "comment");

  private final Sources sources;

  HeatApi(Sources sources) {
    this.sources = sources;
  }

  List<Route> routes() {
    String root = "/collections/{database}/{collection}";
    return List.of(
        Route.get(root + "/heat", Route.now(this::heat)),
        Route.get(root + "/heat/cell", Route.now(this::cell)),
        Route.get(root + "/shapes/{shape}", Route.now(this::shape)));
  }

  private static Resolution resolution(ApiCall call) {
    Resolution resolution = Resolution.find(call.query("resolution", "second"));
    if (resolution == null) {
      throw ApiException.badRequest("resolution must be second, minute or hour");
    }
    return resolution;
  }

  private HttpReply heat(ApiCall call) {
    CollectionStore collection = CollectionsApi.require(sources, call);
    Resolution resolution = resolution(call);
    long last = resolution.slotOf(sources.history().live().lastSecond());
    int count = resolution.slots();
    long first = last - count + 1;
    Map<Integer, HeatHistory.Load> loads =
        sources.history().heat().loads(collection.info().uuid(), resolution, first, count);
    List<RepartitionLog.Event> events =
        sources.history().repartitions().of(collection.info().uuid());
    JsonText json =
        JsonText.object()
            .field("resolution", resolution.wireName())
            .field("slotSeconds", resolution.seconds())
            .field("firstSlot", first)
            .field("slots", count)
            .field("partitionKey", collection.info().partitionKey());
    diagnoses(json, collection, resolution, new Diagnoses.Window(first, count, loads));
    json.beginArray("partitions");
    for (int id : order(collection, loads.keySet())) {
      write(json, collection, id, loads.get(id));
    }
    json.end().beginArray("events");
    events.forEach(event -> write(json, event));
    return HttpReply.json(200, json.end().end().toString());
  }

  private void diagnoses(
      JsonText json, CollectionStore collection, Resolution resolution, Diagnoses.Window window) {
    long from = window.first() * resolution.seconds();
    long to = (window.first() + window.count()) * resolution.seconds();
    List<UsageHistory.Use> uses =
        sources.history().usage().uses(collection.info().uuid(), resolution, from, to);
    json.beginArray("diagnoses");
    for (Diagnoses.Diagnosis each : Diagnoses.of(collection, resolution, window, uses)) {
      json.beginObject().field("severity", each.severity()).field("text", each.text());
      if (each.partition() >= 0) {
        json.field("partition", each.partition());
      }
      json.end();
    }
    json.end();
  }

  /** In the order of ranges; those that were split stand before the first that came of them. */
  private static List<Integer> order(CollectionStore collection, Set<Integer> remembered) {
    Map<Integer, Integer> places = new HashMap<>();
    List<PartitionMap.Entry> entries = collection.info().partitions().entries();
    for (int i = 0; i < entries.size(); i++) {
      places.put(entries.get(i).id(), i);
      for (int parent : entries.get(i).parents()) {
        places.putIfAbsent(parent, i);
      }
    }
    var ids = new TreeSet<>(remembered);
    entries.forEach(entry -> ids.add(entry.id()));
    var order = new ArrayList<>(ids);
    order.sort(
        Comparator.<Integer>comparingInt(id -> places.getOrDefault(id, Integer.MAX_VALUE))
            .thenComparing(Comparator.naturalOrder()));
    return order;
  }

  private void write(
      JsonText json, CollectionStore collection, int id, HeatHistory.@Nullable Load load) {
    PartitionMap.Entry entry = null;
    for (PartitionMap.Entry each : collection.info().partitions().entries()) {
      entry = each.id() == id ? each : entry;
    }
    json.beginObject().field("id", id).field("live", entry != null);
    if (entry != null) {
      json.field("min", entry.range().minInclusive()).field("max", entry.range().maxExclusive());
      json.beginArray("parents");
      entry.parents().forEach(json::item);
      json.end();
      Long rate = sources.metering().governor().rate(collection, id);
      if (rate != null) {
        json.field("limit", rate);
      }
    }
    if (load != null && load.sum() + load.refusedSum() > 0) {
      numbers(json, "units", load.units());
      numbers(json, "peaks", load.peaks());
      if (load.refusedSum() > 0) {
        json.beginArray("refused");
        for (long each : load.refused()) {
          json.item(each);
        }
        json.end();
      }
    }
    json.end();
  }

  private static void numbers(JsonText json, String name, double[] values) {
    json.beginArray(name);
    for (double value : values) {
      json.item(Math.rint(value * 1_000) / 1_000);
    }
    json.end();
  }

  private static void write(JsonText json, RepartitionLog.Event event) {
    json.beginObject().field("time", event.epochMillis()).field("millis", event.millis());
    json.beginArray("before");
    event.before().forEach(json::item);
    json.end().beginArray("after");
    event.after().forEach(json::item);
    json.end().end();
  }

  /** What the units of one interval, or of some, were spent on in a partition. */
  private HttpReply cell(ApiCall call) {
    CollectionStore collection = CollectionsApi.require(sources, call);
    requireFind(call);
    Resolution resolution = resolution(call);
    long from = call.number("from", 0, 0, Long.MAX_VALUE / 10_000);
    long slots = call.number("slots", 1, 1, resolution.slots());
    int partition = (int) call.number("partition", 0, 0, Integer.MAX_VALUE);
    HeatHistory.Load load =
        sources
            .history()
            .heat()
            .loads(collection.info().uuid(), resolution, from, (int) slots)
            .get(partition);
    // What is asked for every few seconds may be told of a little late.
    long margin = resolution == Resolution.SECOND ? UsageHistory.FINEST_SECONDS : 0;
    List<UsageHistory.Use> uses =
        sources
            .history()
            .usage()
            .uses(
                collection.info().uuid(),
                resolution,
                from * resolution.seconds() - margin,
                (from + slots) * resolution.seconds() + margin);
    JsonText json =
        JsonText.object()
            .field("partition", partition)
            .field("units", load == null ? 0 : load.sum())
            .field("refused", load == null ? 0 : load.refusedSum())
            .field("usesSeconds", slots * resolution.seconds() + 2 * margin)
            .field("partitionKey", collection.info().partitionKey());
    keys(json, uses, partition);
    shapes(json, uses, partition);
    return HttpReply.json(200, json.end().toString());
  }

  private void requireFind(ApiCall call) {
    Resource resource = Resource.collection(call.name("database"), call.name("collection"));
    if (!call.caller().allows(sources.access(), Action.FIND, resource)) {
      throw ApiException.forbidden("the right find is needed to see values of partition keys");
    }
  }

  private static void keys(JsonText json, List<UsageHistory.Use> uses, int partition) {
    Map<BsonValue, Double> sums = new HashMap<>();
    for (UsageHistory.Use use : uses) {
      if (use.partition() == partition && use.key() != null) {
        sums.merge(use.key(), use.units(), Double::sum);
      }
    }
    json.beginArray("keys");
    sums.entrySet().stream()
        .sorted(Map.Entry.<BsonValue, Double>comparingByValue().reversed())
        .limit(KEYS_SHOWN)
        .forEach(
            key -> {
              json.beginObject().field("units", key.getValue());
              boolean isMissing = UsageLog.isMissing(key.getKey());
              json.field("missing", isMissing);
              if (!isMissing) {
                json.field("key", key.getKey());
              }
              json.end();
            });
    json.end();
  }

  private static void shapes(JsonText json, List<UsageHistory.Use> uses, int partition) {
    Map<Long, Double> sums = new HashMap<>();
    Map<Long, UsageHistory.Use> examples = new HashMap<>();
    for (UsageHistory.Use use : uses) {
      if (use.partition() == partition || use.partition() == UsageLog.FAN_OUT) {
        sums.merge(use.shapeId(), use.units(), Double::sum);
        examples.putIfAbsent(use.shapeId(), use);
      }
    }
    json.beginArray("shapes");
    sums.entrySet().stream()
        .sorted(Map.Entry.<Long, Double>comparingByValue().reversed())
        .limit(KEYS_SHOWN)
        .forEach(
            shape -> {
              UsageHistory.Use use = examples.get(shape.getKey());
              json.beginObject()
                  .field("id", Long.toString(shape.getKey()))
                  .field("shape", use.shape())
                  .field("units", shape.getValue())
                  .field("allPartitions", use.partition() == UsageLog.FAN_OUT)
                  .end();
            });
    json.end();
  }

  /** A request of a shape, to be explained or tried. */
  private HttpReply shape(ApiCall call) {
    CollectionsApi.require(sources, call);
    requireFind(call);
    UsageLog.Example example;
    try {
      example = sources.usage().example(Long.parseLong(call.name("shape")));
    } catch (NumberFormatException e) {
      throw ApiException.badRequest("a shape is named by a number");
    }
    BsonDocument command = example == null ? null : command(example);
    if (command == null
        || !example.database().equals(call.name("database"))
        || !collectionOf(command).equals(call.name("collection"))) {
      throw ApiException.notFound("no request of that shape is remembered");
    }
    JsonText json = JsonText.object().field("command", command);
    return HttpReply.json(200, json.end().toString());
  }

  private static String collectionOf(BsonDocument command) {
    if (command.isEmpty()) {
      return "";
    }
    String name = command.getFirstKey();
    BsonValue value = name.equals("getMore") ? command.get("collection") : command.get(name);
    return value != null && value.isString() ? value.asString().getValue() : "";
  }

  private static BsonDocument command(UsageLog.Example example) {
    BsonDocument command = example.body().toBsonDocument();
    command.keySet().removeAll(ENVELOPE);
    if (example.statement() != null && !command.isEmpty()) {
      String name = command.getFirstKey();
      String field = name.equals("insert") ? "documents" : name + "s";
      if (!command.containsKey(field)) {
        command.append(field, new BsonArray(List.of(example.statement().toBsonDocument())));
      }
    }
    return command;
  }
}
