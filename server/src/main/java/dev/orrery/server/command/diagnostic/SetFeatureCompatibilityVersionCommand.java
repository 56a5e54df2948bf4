package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import java.util.Set;
import org.bson.BsonDocument;

/** {@code setFeatureCompatibilityVersion}: always 7.0, whatever is asked for. */
final class SetFeatureCompatibilityVersionCommand implements Command {
  private static final Set<String> VERSIONS = Set.of("6.0", "6.3", "7.0");

  @Override
  public Spec spec() {
    return Spec.of(
        "setFeatureCompatibilityVersion", Access.ADMIN, Trait.ADMIN_DATABASE, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String version = body.requireString("setFeatureCompatibilityVersion");
    boolean isConfirmed = body.bool("confirm", false);
    body.ignore("downgradeOnDiskChanges", "fromConfigServer");
    body.finish();
    if (!VERSIONS.contains(version)) {
      throw new CommandException(
          ErrorCode.LOCATION_4926900,
          ("Invalid feature compatibility version value '%s'; expected '6.0' or '6.3' or '7.0'. See"
                  + " https://docs.mongodb.com/master/release-notes/6.0-compatibility/#feature-compatibility.")
              .formatted(version));
    }
    if (!isConfirmed) {
      throw new CommandException(
          ErrorCode.LOCATION_7369100,
          "Once you have downgraded the FCV, if you choose to downgrade the binary version, it will"
              + " require support assistance. Please re-run this command with 'confirm: true' to"
              + " acknowledge this and continue with the FCV downgrade.");
    }
    if (!version.equals("7.0")) {
      throw new CommandException(
          ErrorCode.NOT_IMPLEMENTED, "this server has no feature compatibility version but 7.0");
    }
    return new BsonDocument();
  }
}
