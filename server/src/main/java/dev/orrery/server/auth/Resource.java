package dev.orrery.server.auth;

import java.util.Set;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;

/**
 * What a privilege is about, and what a command touches: the server as a whole, a database, or a
 * collection. In a privilege an empty name stands for every one; in a command an empty collection
 * is the database itself.
 */
public record Resource(Kind kind, String database, String collection) {
  /** The server itself. */
  public static final Resource CLUSTER = new Resource(Kind.CLUSTER, "", "");

  /** Everything, system collections and the server included. */
  public static final Resource EVERYTHING = new Resource(Kind.EVERYTHING, "", "");

  /** What "every database" leaves out. */
  private static final Set<String> SERVERS_OWN = Set.of("config", "local");

  /** What a resource is. */
  public enum Kind {
    CLUSTER,
    EVERYTHING,
    NAMESPACE
  }

  public static Resource database(String database) {
    return new Resource(Kind.NAMESPACE, database, "");
  }

  public static Resource collection(String database, String collection) {
    return new Resource(Kind.NAMESPACE, database, collection);
  }

  /** Whether a privilege on this reaches {@code target}. */
  boolean covers(Resource target) {
    if (kind == Kind.EVERYTHING) {
      return true;
    }
    if (kind != target.kind) {
      return false;
    }
    if (kind == Kind.CLUSTER) {
      return true;
    }
    return coversDatabase(target) && coversCollection(target.collection);
  }

  /** Databases of the server's own are meant by who names them, or one of their collections. */
  private boolean coversDatabase(Resource target) {
    return database.isEmpty()
        ? !collection.isEmpty() || !SERVERS_OWN.contains(target.database)
        : database.equals(target.database);
  }

  /** System collections hold definitions: whoever means them names them. */
  private boolean coversCollection(String name) {
    return collection.isEmpty() ? !name.startsWith("system.") : collection.equals(name);
  }

  /** Whether a privilege on this is about something in that database. */
  boolean reaches(String name) {
    return switch (kind) {
      case CLUSTER -> false;
      case EVERYTHING -> true;
      case NAMESPACE -> coversDatabase(database(name));
    };
  }

  public BsonDocument toBson() {
    return switch (kind) {
      case CLUSTER -> new BsonDocument("cluster", BsonBoolean.TRUE);
      case EVERYTHING -> new BsonDocument("anyResource", BsonBoolean.TRUE);
      case NAMESPACE ->
          new BsonDocument("db", new BsonString(database))
              .append("collection", new BsonString(collection));
    };
  }

  static Resource of(BsonDocument document) {
    if (document.containsKey("cluster")) {
      return CLUSTER;
    }
    if (document.containsKey("anyResource")) {
      return EVERYTHING;
    }
    return collection(
        document.getString("db").getValue(), document.getString("collection").getValue());
  }
}
