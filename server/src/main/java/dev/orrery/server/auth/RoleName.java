package dev.orrery.server.auth;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** A role: its name, and the database it is defined in. */
public record RoleName(String role, String database) {
  /** The key of the stored role. */
  String id() {
    return database + "." + role;
  }

  public BsonDocument toBson() {
    return new BsonDocument("role", new BsonString(role)).append("db", new BsonString(database));
  }

  public static BsonArray toBson(List<RoleName> roles) {
    return new BsonArray(roles.stream().map(RoleName::toBson).toList());
  }

  static RoleName of(BsonDocument document) {
    return new RoleName(document.getString("role").getValue(), document.getString("db").getValue());
  }

  @Override
  public String toString() {
    return role + "@" + database;
  }
}
