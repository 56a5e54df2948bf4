package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;

/**
 * {@code replSetInitiate}: for tools that start a mongod and make a replica set of it. Ours is
 * there from the beginning, so the first who wants it as it is gets it.
 */
final class ReplSetInitiateCommand implements Command {
  private final ServerFacts facts;
  private final AtomicBoolean isInitiated = new AtomicBoolean();

  ReplSetInitiateCommand(ServerFacts facts) {
    this.facts = facts;
  }

  @Override
  public Spec spec() {
    return Spec.of("replSetInitiate", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawValue config = body.value("replSetInitiate");
    body.finish();
    if (config != null && config.isDocument()) {
      requireOurs(config.asDocument());
    }
    if (!isInitiated.compareAndSet(false, true)) {
      throw new CommandException(ErrorCode.ALREADY_INITIALIZED, "already initialized");
    }
    return new BsonDocument();
  }

  private void requireOurs(RawDocument config) {
    RawValue name = config.field("_id");
    if (name != null
        && (name.type() != RawTypes.STRING || !name.asString().equals(facts.setName()))) {
      throw new CommandException(
          ErrorCode.INVALID_REPLICA_SET_CONFIG,
          "Rejecting initiate with a set name that differs from command line set name, initiate set"
              + " name: %s, command line set name: %s"
                  .formatted(name.toBsonValue(), facts.setName()));
    }
    RawValue members = config.field("members");
    if (members != null
        && members.type() == RawTypes.ARRAY
        && members.toBsonValue().asArray().size() > 1) {
      throw new CommandException(
          ErrorCode.INVALID_REPLICA_SET_CONFIG, "the replica set of this server has one member");
    }
  }
}
