package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.WriteConcern;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.Set;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * {@code setDefaultRWConcern}: what reads and writes get that ask for nothing. A default that one
 * server cannot meet, or that would let go of the disk, is refused.
 */
final class SetDefaultRwConcernCommand implements Command {
  private static final Set<String> LEVELS = Set.of("local", "available", "majority");

  private final ConcernDefaults defaults;
  private final ServerFacts facts;

  SetDefaultRwConcernCommand(ConcernDefaults defaults, ServerFacts facts) {
    this.defaults = defaults;
    this.facts = facts;
  }

  @Override
  public Spec spec() {
    return Spec.of("setDefaultRWConcern", Access.ADMIN, Trait.ADMIN_DATABASE, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawDocument read = body.rawDocument("defaultReadConcern");
    RawDocument write = body.rawDocument("defaultWriteConcern");
    body.finish();
    if (read == null && write == null) {
      throw bad(
          "At least one of the \"defaultReadConcern\" or \"defaultWriteConcern\" fields must be"
              + " present");
    }
    var changed = new BsonDocument();
    keep(changed, "defaultReadConcern", read == null ? null : readConcern(read));
    keep(changed, "defaultWriteConcern", write == null ? null : writeConcern(write));
    changed.append("updateWallClockTime", new BsonDateTime(facts.clock().millis()));
    context.awaitDurable(defaults.change(changed));
    return GetDefaultRwConcernCommand.describe(defaults, facts);
  }

  /** The new value, or what was set before; an empty one is what nobody set. */
  private void keep(BsonDocument changed, String field, BsonDocument value) {
    BsonValue kept = value == null ? defaults.given().get(field) : value;
    if (kept != null && !kept.asDocument().isEmpty()) {
      changed.append(field, kept);
    }
  }

  private static BsonDocument readConcern(RawDocument given) {
    var reader = CommandReader.of("readConcern", given);
    String level = reader.string("level");
    reader.finish();
    if (level == null) {
      return new BsonDocument();
    }
    if (!LEVELS.contains(level)) {
      throw bad("level: '" + level + "' is not suitable for the default read concern");
    }
    return new BsonDocument("level", new BsonString(level));
  }

  private BsonDocument writeConcern(RawDocument given) {
    if (!given.elements().next()) {
      if (defaults.given().containsKey("defaultWriteConcern")) {
        throw new CommandException(
            ErrorCode.ILLEGAL_OPERATION,
            "The global default write concern cannot be unset once it is set.");
      }
      return new BsonDocument();
    }
    WriteConcern concern = WriteConcern.parse(RawValue.of(given.toBsonDocument()));
    if (concern.w().equals(new BsonInt32(0))) {
      throw bad("Unacknowledged write concern is not suitable for the default write concern");
    }
    BsonDocument unmet = concern.error();
    if (unmet != null) {
      throw new CommandException(
          ErrorCode.UNSATISFIABLE_WRITE_CONCERN, unmet.getString("errmsg").getValue());
    }
    if (Boolean.FALSE.equals(concern.journal())) {
      throw new CommandException(
          ErrorCode.NOT_IMPLEMENTED, "a default write concern with j: false is not implemented");
    }
    return new BsonDocument("w", concern.w())
        .append("wtimeout", new BsonInt32((int) concern.timeoutMillis()));
  }

  private static CommandException bad(String message) {
    return new CommandException(ErrorCode.BAD_VALUE, message);
  }
}
