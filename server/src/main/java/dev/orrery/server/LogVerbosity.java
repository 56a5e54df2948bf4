package dev.orrery.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.orrery.server.command.LogComponents;
import java.util.Map;
import java.util.function.BiConsumer;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.slf4j.LoggerFactory;

/** Lets the log follow the parameter {@code logComponentVerbosity}. */
final class LogVerbosity implements BiConsumer<String, BsonValue> {
  /** Whose words are those of which component. */
  private static final Map<String, String> PACKAGES =
      Map.of(
          "accessControl", "dev.orrery.server.auth",
          "command", "dev.orrery.server.command",
          "network", "dev.orrery.server.net",
          "query", "dev.orrery.server.plan",
          "replication", "dev.orrery.server.stream",
          "storage", "dev.orrery.storage",
          "transaction", "dev.orrery.server.session");

  @Override
  public void accept(String parameter, BsonValue value) {
    if (parameter.equals(LogComponents.PARAMETER)) {
      follow(value.asDocument());
    }
  }

  /** From 1 on details are written, from 3 on every step; else what the server was started for. */
  private static void follow(BsonDocument setting) {
    PACKAGES.forEach(
        (component, name) -> {
          int verbosity = LogComponents.of(setting, component);
          Level level = verbosity >= 3 ? Level.TRACE : verbosity >= 1 ? Level.DEBUG : null;
          if (LoggerFactory.getLogger(name) instanceof Logger logger) {
            logger.setLevel(level);
          }
        });
  }
}
