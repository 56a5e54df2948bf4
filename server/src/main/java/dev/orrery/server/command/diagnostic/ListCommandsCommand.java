package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import java.util.Comparator;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** {@code listCommands}: every command there is. */
final class ListCommandsCommand implements Command {
  private final List<Command> commands;

  /** {@code commands} may still grow; they are listed when somebody asks. */
  ListCommandsCommand(List<Command> commands) {
    this.commands = commands;
  }

  @Override
  public Spec spec() {
    return Spec.of("listCommands", Access.READ, Trait.PUBLIC);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    var list = new BsonDocument();
    commands.stream()
        .map(Command::spec)
        .sorted(Comparator.comparing(Spec::name))
        .forEach(spec -> list.append(spec.name(), describe(spec)));
    return new BsonDocument("commands", list);
  }

  private static BsonDocument describe(Spec spec) {
    var versions = new BsonArray();
    if (spec.has(Trait.STABLE_API)) {
      versions.add(new BsonString("1"));
    }
    var entry =
        new BsonDocument("help", new BsonString(""))
            .append("requiresAuth", BsonBoolean.valueOf(!spec.has(Trait.PUBLIC)))
            .append("secondaryOk", BsonBoolean.valueOf(spec.access() == Access.READ))
            .append("adminOnly", BsonBoolean.valueOf(spec.has(Trait.ADMIN_DATABASE)))
            .append("apiVersions", versions)
            .append("deprecatedApiVersions", new BsonArray());
    if (!spec.aliases().isEmpty()) {
      var aliases = new BsonArray();
      spec.aliases().forEach(alias -> aliases.add(new BsonString(alias)));
      entry.append("aliases", aliases);
    }
    return entry;
  }
}
