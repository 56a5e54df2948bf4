package dev.orrery.server.auth;

import org.bson.BsonDocument;
import org.bson.BsonString;

/** A user: the name, and the database that knows it. The same name elsewhere is another user. */
public record UserName(String user, String database) {
  /** Where users live who prove themselves with a certificate. */
  public static final String EXTERNAL = "$external";

  /** The key of the stored user. A database has no dot in its name, so this is unique. */
  String id() {
    return database + "." + user;
  }

  /** {@code {user, db}}, as MongoDB's replies name users. */
  public BsonDocument toBson() {
    return new BsonDocument("user", new BsonString(user)).append("db", new BsonString(database));
  }

  @Override
  public String toString() {
    return user + "@" + database;
  }
}
