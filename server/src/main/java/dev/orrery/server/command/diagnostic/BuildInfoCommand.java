package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.wire.WireLimits;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** {@code buildInfo}: the release of MongoDB that Orrery answers like, and Orrery's own. */
final class BuildInfoCommand implements Command {
  private final ServerFacts facts;

  BuildInfoCommand(ServerFacts facts) {
    this.facts = facts;
  }

  @Override
  public Spec spec() {
    return Spec.of("buildInfo", Access.ANONYMOUS, Trait.PUBLIC).alias("buildinfo");
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    return new BsonDocument("version", new BsonString(ServerFacts.MONGODB_VERSION))
        .append("gitVersion", new BsonString("unknown"))
        .append("modules", new BsonArray())
        .append("allocator", new BsonString("java"))
        .append("javascriptEngine", new BsonString("none"))
        .append("sysInfo", new BsonString("deprecated"))
        .append("versionArray", versionArray())
        .append("buildEnvironment", buildEnvironment())
        .append("bits", new BsonInt32(64))
        .append("debug", BsonBoolean.FALSE)
        .append("maxBsonObjectSize", new BsonInt32(WireLimits.DOCUMENT_BYTES_MAX))
        .append("storageEngines", new BsonArray(List.of(new BsonString("orrery"))));
  }

  private static BsonArray versionArray() {
    var parts = new BsonArray();
    Arrays.stream(ServerFacts.MONGODB_VERSION.split("\\."))
        .forEach(part -> parts.add(new BsonInt32(Integer.parseInt(part))));
    parts.add(new BsonInt32(0));
    return parts;
  }

  private BsonDocument buildEnvironment() {
    return new BsonDocument("orrery", new BsonString(facts.version()))
        .append("java", new BsonString(System.getProperty("java.version")))
        .append("target_arch", new BsonString(System.getProperty("os.arch")))
        .append("target_os", new BsonString(System.getProperty("os.name")));
  }
}
