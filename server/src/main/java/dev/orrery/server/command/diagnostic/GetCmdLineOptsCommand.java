package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** {@code getCmdLineOpts}: how the server was started. */
final class GetCmdLineOptsCommand implements Command {
  private final ServerFacts facts;

  GetCmdLineOptsCommand(ServerFacts facts) {
    this.facts = facts;
  }

  @Override
  public Spec spec() {
    return Spec.of("getCmdLineOpts", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    var arguments = new BsonArray();
    facts.arguments().forEach(argument -> arguments.add(new BsonString(argument)));
    return new BsonDocument("argv", arguments).append("parsed", facts.options().clone());
  }
}
