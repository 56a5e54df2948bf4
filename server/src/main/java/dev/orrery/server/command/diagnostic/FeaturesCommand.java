package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.types.ObjectId;

/** {@code features}: the machine part of the object ids this process makes. */
final class FeaturesCommand implements Command {
  private final BsonInt32 machine;

  FeaturesCommand() {
    byte[] id = new ObjectId().toByteArray();
    machine = new BsonInt32((id[4] & 0xff) << 16 | (id[5] & 0xff) << 8 | id[6] & 0xff);
  }

  @Override
  public Spec spec() {
    return Spec.of("features", Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.ignore("oidReset");
    body.finish();
    return new BsonDocument("oidMachine", machine);
  }
}
