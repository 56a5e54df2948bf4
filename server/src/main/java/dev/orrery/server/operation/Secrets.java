package dev.orrery.server.operation;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/** Passwords and proofs in commands, which nobody shall read in a log or a list. */
final class Secrets {
  private static final List<String> FIELDS = List.of("pwd", "payload", "key");

  private Secrets() {}

  /** Puts something else where a command of accounts or logins has a secret. */
  static void hide(BsonDocument command) {
    String name = command.isEmpty() ? "" : command.getFirstKey();
    switch (name) {
      case "authenticate", "createUser", "saslContinue", "saslStart", "updateUser" -> {
        for (String field : FIELDS) {
          command.replace(field, new BsonString("xxx"));
        }
      }
      default -> {}
    }
    BsonValue early = command.get("speculativeAuthenticate");
    if (early != null && early.isDocument()) {
      early.asDocument().replace("payload", new BsonString("xxx"));
    }
  }
}
