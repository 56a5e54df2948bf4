package dev.orrery.server;

import dev.orrery.server.auth.Security;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.engine.EngineOptions;
import dev.orrery.storage.log.LogOptions;
import java.time.Clock;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** What follows from how a server was started: for its parts, and for clients that ask. */
final class ServerOptions {
  private ServerOptions() {}

  static ServerFacts facts(ServerConfig config, Clock clock) {
    ServerConfig.Announcement announcement = config.network().announcement();
    List<String> regions = announcement.regions();
    return ServerFacts.starting(Version.current(), config.network().connectionsMax(), clock)
        .withSetName(announcement.setName())
        .withAdvertisedHost(announcement.address())
        .withRegion(regions.isEmpty() ? null : regions.get(0))
        .withCommandLine(List.of("orrery"), options(config));
  }

  /** Who may connect: the users that are stored, and the account that was named. */
  static Security security(ServerConfig config, StorageEngine engine) {
    var security = new Security(new EngineAccounts(engine), config.access().needsLogin());
    ServerConfig.Account account = config.access().account();
    if (account != null) {
      security.openAccount(account.name(), account.key());
    }
    return security;
  }

  /** In the words of MongoDB's configuration file, as far as it has any. */
  private static BsonDocument options(ServerConfig config) {
    var net =
        new BsonDocument("bindIp", new BsonString(config.network().bind()))
            .append("port", new BsonInt32(config.network().port()));
    var storage = new BsonDocument("dbPath", new BsonString(config.storage().data().toString()));
    return new BsonDocument("net", net).append("storage", storage);
  }

  /** For the embedded engine. */
  static EngineOptions engine(ServerConfig config) {
    boolean isDurable = !config.storage().isEphemeral();
    return EngineOptions.defaults()
        .with(
            LogOptions.defaults()
                .withFsync(isDurable)
                .withSegmentBytes(config.limits().logSegmentBytes()))
        .with(
            new EngineOptions.Limits(
                config.limits().logicalPartitionBytes(), config.limits().physicalPartitionBytes()))
        .with(config.storage().changes().toOptions());
  }
}
