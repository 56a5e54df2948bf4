package dev.orrery.server;

import dev.orrery.server.command.ServerFacts;
import java.time.Clock;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** What a server tells clients of how it was started. */
final class ServerOptions {
  private ServerOptions() {}

  static ServerFacts facts(ServerConfig config, Clock clock) {
    return ServerFacts.starting(Version.current(), config.network().connectionsMax(), clock)
        .withSetName(config.network().setName())
        .withCommandLine(List.of("orrery"), options(config));
  }

  /** In the words of MongoDB's configuration file, as far as it has any. */
  private static BsonDocument options(ServerConfig config) {
    var net =
        new BsonDocument("bindIp", new BsonString(config.network().bind()))
            .append("port", new BsonInt32(config.network().port()));
    var storage = new BsonDocument("dbPath", new BsonString(config.storage().data().toString()));
    return new BsonDocument("net", net).append("storage", storage);
  }
}
