package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ParameterErrors;
import dev.orrery.server.command.ServerParameters;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonDocument;

/** {@code getParameter}: the values of the parameters that are named, or of all. */
final class GetParameterCommand implements Command {
  private final ServerParameters parameters;

  GetParameterCommand(ServerParameters parameters) {
    this.parameters = parameters;
  }

  @Override
  public Spec spec() {
    return Spec.of("getParameter", Access.READ, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawValue which = body.value("getParameter");
    List<String> names = body.takeRest();
    body.finish();
    var reply = new BsonDocument();
    for (String name : isAll(which) ? parameters.names() : names) {
      if (parameters.find(name) != null) {
        reply.append(name, parameters.value(name));
      }
    }
    if (reply.isEmpty()) {
      throw ParameterErrors.noneToGet();
    }
    return reply;
  }

  /** {@code "*"}, or {@code {allParameters: true}}. */
  private static boolean isAll(RawValue which) {
    if (which.type() == RawTypes.STRING) {
      return which.asString().equals("*");
    }
    return which.isDocument()
        && CommandReader.of("getParameter", which.asDocument()).safeBool("allParameters", false);
  }
}
