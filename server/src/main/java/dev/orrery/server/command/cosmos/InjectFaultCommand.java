package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Fault;
import dev.orrery.server.command.Faults;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * {@code injectFault}: lets something go wrong on purpose, with requests or with the server, until
 * {@code clearFaults}. Only on servers with {@code --test-commands}.
 */
final class InjectFaultCommand implements Command {
  private static final long MILLIS_MAX = 600_000;
  private static final long MILLIS_DEFAULT = 10;

  /** How long a server that stepped down is away, unless somebody says otherwise. */
  private static final long AWAY_MILLIS = 1_000;

  private static final long ALL = -1;

  private static final List<String> FOR_REQUESTS =
      List.of("commands", "collection", "database", "every", "key", "partition", "share", "times");

  private final Faults faults;

  InjectFaultCommand(Faults faults) {
    this.faults = faults;
  }

  @Override
  public Spec spec() {
    return Spec.of("injectFault", Access.ADMIN, Trait.ADMIN_DATABASE, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String name = body.requireString("injectFault");
    List<String> kinds = Arrays.stream(Fault.Kind.values()).map(Fault.Kind::text).toList();
    String kindName = body.oneOf("fault", kinds, Fault.Kind.THROTTLE.text());
    Fault.Kind kind = Fault.Kind.values()[kinds.indexOf(kindName)];
    Fault.Target target = target(kind, body);
    Fault.Extent extent = extent(body);
    Fault.Effect effect = effect(kind, body);
    boolean isForRequests = hasAny(body, FOR_REQUESTS);
    body.finish();
    if (name.isEmpty()) {
      throw bad("a fault needs a name");
    }
    if (kind.isLasting() && isForRequests) {
      throw bad(kind.text() + " befalls the server, and takes none of " + FOR_REQUESTS);
    }
    var reply = new BsonDocument("fault", new BsonString(name));
    reply.putAll(faults.put(name, new Fault(kind, target, extent, effect)));
    return reply;
  }

  private static boolean hasAny(CommandReader body, List<String> fields) {
    return fields.stream().anyMatch(body::has);
  }

  private static Fault.Target target(Fault.Kind kind, CommandReader body) {
    List<RawValue> commands = body.array("commands");
    long partition = body.int64("partition", ALL);
    RawValue key = body.value("key");
    Fault.Place place = null;
    if (partition != ALL || key != null) {
      if (kind != Fault.Kind.THROTTLE || !commands.isEmpty()) {
        throw bad("'partition' and 'key' are for throttle, without 'commands'");
      }
      place =
          new Fault.Place(
              partition == ALL ? -1 : Math.toIntExact(Math.min(partition, Integer.MAX_VALUE)),
              key == null ? null : KeyEncoder.encode(key));
    }
    return new Fault.Target(
        commands(kind, commands), body.string("database"), body.string("collection"), place);
  }

  private static Set<String> commands(Fault.Kind kind, List<RawValue> given) {
    if (given.isEmpty()) {
      return kind.commands();
    }
    for (RawValue name : given) {
      if (name.type() != RawTypes.STRING || !kind.commands().contains(name.asString())) {
        throw bad(
            "'commands' must be some of "
                + kind.commands().stream().sorted().collect(Collectors.joining(", ")));
      }
    }
    return given.stream().map(RawValue::asString).collect(Collectors.toSet());
  }

  private static Fault.Extent extent(CommandReader body) {
    double share = share(body.value("share"));
    long times = body.int64("times", -1);
    long every = body.int64("every", 1);
    if (every < 1) {
      throw bad("'every' must be a positive number");
    }
    return new Fault.Extent(share, times, every, body.int64("seed", 0));
  }

  private static Fault.Effect effect(Fault.Kind kind, CommandReader body) {
    long millis = body.int64("millis", kind == Fault.Kind.STEP_DOWN ? AWAY_MILLIS : MILLIS_DEFAULT);
    if (millis < 0 || millis > MILLIS_MAX && kind != Fault.Kind.JUMP_TIME) {
      throw bad("'millis' must be from 0 to " + MILLIS_MAX);
    }
    long code = body.int64("code", 0);
    List<RawValue> labels = body.array("errorLabels");
    boolean hasLabels = body.has("errorLabels");
    String message = body.string("errmsg");
    boolean hasAnswer = code != 0 || hasLabels || message != null;
    if (hasAnswer != (kind == Fault.Kind.FAIL) || code < 0 || code > Integer.MAX_VALUE) {
      throw bad("'code' must be an error code, for fail; 'errorLabels' and 'errmsg' go with it");
    }
    if (kind == Fault.Kind.FAIL && code == 0) {
      throw bad("fail needs a 'code'");
    }
    return new Fault.Effect(millis, (int) code, hasLabels ? texts(labels) : null, message);
  }

  private static BsonArray texts(List<RawValue> labels) {
    var texts = new BsonArray();
    for (RawValue label : labels) {
      if (label.type() != RawTypes.STRING) {
        throw bad("'errorLabels' must be strings");
      }
      texts.add(label.toBsonValue());
    }
    return texts;
  }

  private static CommandException bad(String message) {
    return new CommandException(ErrorCode.BAD_VALUE, message);
  }

  private static double share(@Nullable RawValue given) {
    if (given == null) {
      return 1;
    }
    double share = given.isNumber() ? given.toBsonValue().asNumber().doubleValue() : -1;
    if (!(share >= 0 && share <= 1)) {
      throw bad("'share' must be a number from 0 to 1");
    }
    return share;
  }
}
