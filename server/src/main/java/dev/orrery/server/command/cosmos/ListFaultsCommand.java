package dev.orrery.server.command.cosmos;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Faults;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * {@code listFaults}: what was ordered and not ended, and how often it struck. Only on servers with
 * {@code --test-commands}.
 */
final class ListFaultsCommand implements Command {
  private final Faults faults;

  ListFaultsCommand(Faults faults) {
    this.faults = faults;
  }

  @Override
  public Spec spec() {
    return Spec.of("listFaults", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignore("listFaults");
    body.finish();
    var list = new BsonArray();
    new TreeMap<>(faults.all())
        .forEach(
            (name, fault) ->
                list.add(
                    new BsonDocument("name", new BsonString(name))
                        .append("fault", new BsonString(fault.kind().text()))
                        .append("struck", new BsonInt64(fault.count()))));
    return new BsonDocument("faults", list);
  }
}
