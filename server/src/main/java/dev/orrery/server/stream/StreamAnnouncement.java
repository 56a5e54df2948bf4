package dev.orrery.server.stream;

import dev.orrery.value.Namespace;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.UuidRepresentation;
import org.jspecify.annotations.Nullable;

/**
 * What a command tells change streams by itself, as it cannot be seen from the change it makes.
 *
 * @param collection null when it is about the whole database
 * @param uuid null for a view, and for a database
 * @param details further fields of the event
 */
public record StreamAnnouncement(
    String type,
    String database,
    @Nullable String collection,
    @Nullable UUID uuid,
    BsonDocument details) {
  static final String RENAME = "rename";

  public static StreamAnnouncement dropDatabase(String database) {
    return new StreamAnnouncement("dropDatabase", database, null, null, new BsonDocument());
  }

  public static StreamAnnouncement modify(
      Namespace namespace, @Nullable UUID uuid, BsonDocument details) {
    return new StreamAnnouncement(
        "modify", namespace.database(), namespace.collection(), uuid, details);
  }

  /**
   * A collection took the place of another under its name.
   *
   * @param from what it was called until then
   */
  public static StreamAnnouncement rename(Namespace from, Namespace to, UUID uuid) {
    var details =
        new BsonDocument("to", Events.name(to))
            .append("dropTarget", new BsonBinary(uuid, UuidRepresentation.STANDARD));
    return new StreamAnnouncement(RENAME, from.database(), from.collection(), uuid, details);
  }

  /** A collection came. */
  public static StreamAnnouncement create(Namespace namespace, UUID uuid, BsonDocument options) {
    return new StreamAnnouncement(
        "create",
        namespace.database(),
        namespace.collection(),
        uuid,
        new BsonDocument("operationDescription", options));
  }

  /** The same with nothing but what it is about. */
  public StreamAnnouncement withoutDetails() {
    return new StreamAnnouncement(type, database, collection, uuid, new BsonDocument());
  }

  @Nullable Namespace namespace() {
    return collection == null ? null : new Namespace(database, collection);
  }

  public BsonDocument toBson() {
    var document =
        new BsonDocument("event", new BsonString(type)).append("db", new BsonString(database));
    if (collection != null) {
      document.append("coll", new BsonString(collection));
    }
    if (uuid != null) {
      document.append("uuid", new BsonBinary(uuid, UuidRepresentation.STANDARD));
    }
    return document.append("details", details);
  }

  /** Null when it is something else. */
  static @Nullable StreamAnnouncement of(BsonDocument told) {
    if (!told.isString("event") || !told.isString("db")) {
      return null;
    }
    BsonString collection = told.getString("coll", null);
    BsonBinary uuid = told.getBinary("uuid", null);
    return new StreamAnnouncement(
        told.getString("event").getValue(),
        told.getString("db").getValue(),
        collection == null ? null : collection.getValue(),
        uuid == null ? null : uuid.asUuid(UuidRepresentation.STANDARD),
        told.getDocument("details", new BsonDocument()));
  }
}
