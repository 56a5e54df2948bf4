package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ParameterErrors;
import dev.orrery.server.command.ServerParameters;
import dev.orrery.server.command.ServerParameters.Parameter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** {@code setParameter}: all the named parameters, or none when one of them cannot be set. */
final class SetParameterCommand implements Command {
  private final ServerParameters parameters;

  SetParameterCommand(ServerParameters parameters) {
    this.parameters = parameters;
  }

  @Override
  public Spec spec() {
    return Spec.of("setParameter", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    Map<Parameter, BsonValue> changes = new LinkedHashMap<>();
    List<String> names = body.takeRest();
    body.finish();
    for (String name : names) {
      changes.put(requireSettable(name), body.bsonValue(name));
    }
    if (changes.isEmpty()) {
      throw ParameterErrors.noneToSet();
    }
    var reply = new BsonDocument();
    changes.forEach((parameter, value) -> reply.put("was", parameters.change(parameter, value)));
    return reply;
  }

  private Parameter requireSettable(String name) {
    Parameter parameter = parameters.find(name);
    if (parameter == null) {
      throw ParameterErrors.unknown(name);
    }
    if (!parameter.isSettable()) {
      throw ParameterErrors.notSettable(name);
    }
    return parameter;
  }
}
