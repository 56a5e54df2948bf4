package dev.orrery.server.command;

import org.bson.BsonDocument;
import org.bson.BsonString;

/** Why a document failed its collection's validator, as MongoDB explains it. */
final class ValidationDetails {
  private ValidationDetails() {}

  static BsonDocument of(BsonDocument expression, BsonDocument document) {
    return new BsonDocument("operatorName", new BsonString(expression.getFirstKey()));
  }
}
