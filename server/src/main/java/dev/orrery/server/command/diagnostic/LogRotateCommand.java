package dev.orrery.server.command.diagnostic;

import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonDocument;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code logRotate}: notes that somebody asked; the log goes to standard output. */
final class LogRotateCommand implements Command {
  private static final Logger LOG = LoggerFactory.getLogger(LogRotateCommand.class);

  @Override
  public Spec spec() {
    return Spec.of("logRotate", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    body.finish();
    LOG.info("asked to rotate the log");
    return new BsonDocument();
  }
}
