package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Fault;
import dev.orrery.server.command.Faults;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * {@code injectFault}: lets something go wrong with requests on purpose, until {@code clearFaults}.
 * Only on servers with {@code --test-commands}.
 */
final class InjectFaultCommand implements Command {
  /** What can be struck: requests about documents. Others would lock out who wants to end it. */
  private static final Set<String> COMMANDS =
      Set.of(
          "aggregate",
          "count",
          "delete",
          "distinct",
          "find",
          "findAndModify",
          "getMore",
          "insert",
          "update");

  private static final long MILLIS_MAX = 600_000;
  private static final long MILLIS_DEFAULT = 10;

  private final Faults faults;

  InjectFaultCommand(Faults faults) {
    this.faults = faults;
  }

  @Override
  public Spec spec() {
    return Spec.of("injectFault", Access.ADMIN, Trait.ADMIN_DATABASE);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.requireString("injectFault");
    List<String> kinds = Arrays.stream(Fault.Kind.values()).map(Fault.Kind::text).toList();
    String kind = body.oneOf("fault", kinds, Fault.Kind.THROTTLE.text());
    List<RawValue> commands = body.array("commands");
    String database = body.string("database");
    String collection = body.string("collection");
    RawValue share = body.value("share");
    long times = body.int64("times", -1);
    long seed = body.int64("seed", 0);
    long millis = body.int64("millis", MILLIS_DEFAULT);
    body.finish();
    if (name.isEmpty() || millis < 0 || millis > MILLIS_MAX) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "a fault needs a name, and 'millis' from 0 to " + MILLIS_MAX);
    }
    faults.put(
        name,
        new Fault(
            Fault.Kind.values()[kinds.indexOf(kind)],
            new Fault.Target(commands(commands), database, collection),
            new Fault.Extent(share(share), times, seed),
            millis));
    return new BsonDocument("fault", new BsonString(name));
  }

  private static Set<String> commands(List<RawValue> given) {
    if (given.isEmpty()) {
      return COMMANDS;
    }
    for (RawValue name : given) {
      if (name.type() != RawTypes.STRING || !COMMANDS.contains(name.asString())) {
        throw new CommandException(
            ErrorCode.BAD_VALUE,
            "'commands' must be some of "
                + COMMANDS.stream().sorted().collect(Collectors.joining(", ")));
      }
    }
    return given.stream().map(RawValue::asString).collect(Collectors.toSet());
  }

  private static double share(@Nullable RawValue given) {
    if (given == null) {
      return 1;
    }
    double share = given.isNumber() ? given.toBsonValue().asNumber().doubleValue() : -1;
    if (!(share >= 0 && share <= 1)) {
      throw new CommandException(ErrorCode.BAD_VALUE, "'share' must be a number from 0 to 1");
    }
    return share;
  }
}
