package dev.orrery.server.stream;

import dev.orrery.language.aggregate.stage.ResumeToken;
import dev.orrery.storage.Change;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.UuidRepresentation;
import org.jspecify.annotations.Nullable;

/** Makes events of what happens to collections as a whole. */
final class StructureEvents {
  private final Watched watched;
  private final Events events;
  private final boolean areMoreShown;

  StructureEvents(Watched watched, Events events, boolean areMoreShown) {
    this.watched = watched;
    this.events = events;
    this.areMoreShown = areMoreShown;
  }

  /**
   * An event, and whether it ends the stream.
   *
   * @param event null when there is nothing to show
   */
  record Shown(@Nullable BsonDocument event, boolean isLast) {
    static final Shown NOTHING = new Shown(null, false);
  }

  /** What the change at that place of a commit looks like to the stream. */
  Shown of(CommittedGroup group, int index, ResumeToken token) {
    Change change = group.changes().get(index);
    if (change instanceof Change.Announcement told) {
      return announced(told.document(), group, token);
    }
    var structure = (Change.OfStructure) change;
    Change.OfStructure next = index + 1 < group.changes().size() ? at(group, index + 1) : null;
    if (structure.after() == null && takesPlace(next, structure.before())) {
      return Shown.NOTHING; // the next one tells of both
    }
    Change.OfStructure previous = index == 0 ? null : at(group, index - 1);
    CollectionInfo gone =
        previous != null && previous.after() == null && takesPlace(structure, previous.before())
            ? previous.before()
            : null;
    return shown(structure, gone, group, token);
  }

  private static Change.@Nullable OfStructure at(CommittedGroup group, int index) {
    return group.changes().get(index) instanceof Change.OfStructure structure ? structure : null;
  }

  private static boolean takesPlace(
      Change.@Nullable OfStructure change, @Nullable CollectionInfo gone) {
    return change != null
        && change.after() != null
        && gone != null
        && change.after().namespace().equals(gone.namespace())
        && (change.before() == null || !change.before().namespace().equals(gone.namespace()));
  }

  private Shown shown(
      Change.OfStructure change,
      @Nullable CollectionInfo gone,
      CommittedGroup group,
      ResumeToken token) {
    CollectionInfo before = change.before();
    CollectionInfo after = change.after();
    if (after == null) {
      return dropped(before, group, token);
    } else if (before == null) {
      return gone == null ? created(after, group, token) : partitioned(after, group, token);
    } else if (!before.namespace().equals(after.namespace())) {
      return renamed(before, after.namespace(), gone, new Place(group, token));
    }
    return indexed(before, after, group, token);
  }

  /** Where an event stands. */
  private record Place(CommittedGroup group, ResumeToken token) {}

  private Shown dropped(CollectionInfo before, CommittedGroup group, ResumeToken token) {
    if (!watched.includes(before.namespace()) || (isShownAsView(before) && !areMoreShown)) {
      return Shown.NOTHING;
    }
    BsonDocument event = events.begin("drop", group, token, uuid(before));
    event.append("ns", Events.name(before.namespace()));
    return new Shown(event, watched.isOnly(before.namespace()));
  }

  private static @Nullable UUID uuid(CollectionInfo info) {
    return isShownAsView(info) ? null : info.uuid();
  }

  /** A time series is a view of its buckets, which nobody can watch. */
  private static boolean isShownAsView(CollectionInfo info) {
    return info.isView() || info.isTimeSeries();
  }

  private static BsonDocument viewOfBuckets(CollectionInfo series) {
    BsonDocument options = series.options().getDocument("timeseries");
    var unpack = new BsonDocument();
    for (String field : List.of("timeField", "metaField", "bucketMaxSpanSeconds")) {
      if (options.containsKey(field)) {
        unpack.append(field, options.get(field));
      }
    }
    var stages = new BsonArray();
    stages.add(new BsonDocument("$_internalUnpackBucket", unpack));
    return new BsonDocument(
            "viewOn", new BsonString("system.buckets." + series.namespace().collection()))
        .append("pipeline", stages);
  }

  private Shown created(CollectionInfo after, CommittedGroup group, ResumeToken token) {
    if (!areMoreShown || !watched.includes(after.namespace())) {
      return Shown.NOTHING;
    }
    if (after.isTimeSeries()) {
      return more("create", after, viewOfBuckets(after), new Place(group, token));
    }
    var description = new BsonDocument();
    description.putAll(after.options());
    boolean isClustered = after.options().containsKey("clusteredIndex");
    for (IndexSpec index : after.readyIndexes()) {
      if (index.isIdIndex() && !isClustered) {
        description.append("idIndex", index.document());
      }
    }
    return more("create", after, description, new Place(group, token));
  }

  private Shown more(String type, CollectionInfo info, BsonDocument description, Place place) {
    BsonDocument event = events.begin(type, place.group, place.token, uuid(info));
    event.append("ns", Events.name(info.namespace()));
    return new Shown(event.append("operationDescription", description), false);
  }

  /** An empty collection was given a partition key. */
  private Shown partitioned(CollectionInfo after, CommittedGroup group, ResumeToken token) {
    if (!areMoreShown || !watched.includes(after.namespace()) || after.partitionKey() == null) {
      return Shown.NOTHING;
    }
    var key = new BsonDocument(after.partitionKey(), new BsonString("hashed"));
    return more(
        "shardCollection",
        after,
        new BsonDocument("shardKey", key).append("unique", BsonBoolean.FALSE),
        new Place(group, token));
  }

  private Shown renamed(
      CollectionInfo before, Namespace to, @Nullable CollectionInfo gone, Place place) {
    Namespace from = before.namespace();
    if (!watched.includes(from) && !watched.includes(to)) {
      return Shown.NOTHING;
    }
    boolean isSameDatabase = from.database().equals(to.database());
    if (!isSameDatabase && watched.database() != null && watched.includes(from)) {
      return dropped(before, place.group, place.token); // as if it was copied there
    }
    var event = new BsonDocument("to", Events.name(to));
    event.putAll(events.begin("rename", place.group, place.token, before.uuid()));
    event.append("ns", Events.name(from));
    if (areMoreShown) {
      var description = new BsonDocument("to", Events.name(to));
      if (gone != null) {
        description.append("dropTarget", new BsonBinary(gone.uuid(), UuidRepresentation.STANDARD));
      }
      event.append("operationDescription", description);
    }
    return new Shown(event, watched.isOnly(from) || watched.isOnly(to));
  }

  private Shown indexed(
      CollectionInfo before, CollectionInfo after, CommittedGroup group, ResumeToken token) {
    if (!areMoreShown || !watched.includes(after.namespace()) || after.isTimeSeries()) {
      return Shown.NOTHING;
    }
    List<IndexSpec> added = without(after, before);
    List<IndexSpec> removed = without(before, after);
    if (added.isEmpty() == removed.isEmpty()) {
      return Shown.NOTHING; // nothing of this, or one in the place of the other
    }
    var indexes = new BsonArray();
    (added.isEmpty() ? removed : added).forEach(index -> indexes.add(index.document()));
    return more(
        added.isEmpty() ? "dropIndexes" : "createIndexes",
        after,
        new BsonDocument("indexes", indexes),
        new Place(group, token));
  }

  private static List<IndexSpec> without(CollectionInfo info, CollectionInfo other) {
    var names = other.readyIndexes().stream().map(IndexSpec::name).toList();
    var rest = new ArrayList<IndexSpec>();
    for (IndexSpec index : info.readyIndexes()) {
      if (!names.contains(index.name())) {
        rest.add(index);
      }
    }
    return rest;
  }

  private Shown announced(BsonDocument told, CommittedGroup group, ResumeToken token) {
    var announcement = StreamAnnouncement.of(told);
    if (announcement == null) {
      return Shown.NOTHING;
    }
    if (announcement.namespace() == null) {
      String database = announcement.database();
      if (watched.collection() != null || !watched.includes(database)) {
        return Shown.NOTHING;
      }
      BsonDocument event = events.begin(announcement.type(), group, token, null);
      event.append("ns", new BsonDocument("db", new BsonString(database)));
      return new Shown(event, watched.isOnly(database));
    }
    if (announcement.type().equals(StreamAnnouncement.RENAME)) {
      return replaced(announcement, group, token);
    }
    if (!areMoreShown || !watched.includes(announcement.namespace())) {
      return Shown.NOTHING;
    }
    BsonDocument event = events.begin(announcement.type(), group, token, announcement.uuid());
    event.append("ns", Events.name(announcement.namespace()));
    event.putAll(announcement.details());
    BsonDocument description = announcement.details().getDocument("operationDescription", null);
    if (description != null) {
      TokenTypes.add(event.getDocument("_id"), RawDocument.of(description));
    }
    return new Shown(event, false);
  }

  /** A collection was put into the place of another. */
  private Shown replaced(StreamAnnouncement told, CommittedGroup group, ResumeToken token) {
    BsonDocument target = told.details().getDocument("to");
    var to = new Namespace(told.database(), target.getString("coll").getValue());
    if (!watched.includes(to)) {
      return Shown.NOTHING;
    }
    var event = new BsonDocument("to", target);
    event.putAll(events.begin(told.type(), group, token, told.uuid()));
    event.append("ns", Events.name(told.namespace()));
    if (areMoreShown) {
      event.append("operationDescription", told.details());
    }
    return new Shown(event, watched.isOnly(to));
  }
}
