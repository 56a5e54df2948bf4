package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** {@code hostInfo}: the machine the server runs on, as far as Java sees it. */
final class HostInfoCommand implements Command {
  private static final int BYTES_PER_MEGABYTE = 1 << 20;

  private final ServerFacts facts;

  HostInfoCommand(ServerFacts facts) {
    this.facts = facts;
  }

  @Override
  public Spec spec() {
    return Spec.of("hostInfo", Access.READ, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    return new BsonDocument("system", system())
        .append("os", operatingSystem())
        .append("extra", new BsonDocument());
  }

  private BsonDocument system() {
    int cores = Runtime.getRuntime().availableProcessors();
    var memory = new BsonInt64(Memory.physicalBytes() / BYTES_PER_MEGABYTE);
    return new BsonDocument("currentTime", new BsonDateTime(facts.clock().millis()))
        .append("hostname", new BsonString(hostName()))
        .append("cpuAddrSize", new BsonInt32(64))
        .append("memSizeMB", memory)
        .append("memLimitMB", memory)
        .append("numCores", new BsonInt32(cores))
        .append("cpuArch", new BsonString(System.getProperty("os.arch")))
        .append("numaEnabled", BsonBoolean.FALSE);
  }

  private static BsonDocument operatingSystem() {
    String name = System.getProperty("os.name");
    return new BsonDocument("type", new BsonString(name))
        .append("name", new BsonString(name))
        .append("version", new BsonString(System.getProperty("os.version")));
  }

  static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException nameless) {
      return "localhost";
    }
  }
}
