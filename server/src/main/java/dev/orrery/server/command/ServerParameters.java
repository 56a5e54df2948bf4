package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.throughput.CosmosRule;
import dev.orrery.server.throughput.CosmosRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * The parameters of getParameter and setParameter: MongoDB's names, for what means something here.
 */
public final class ServerParameters {
  /** Cosmos DB's name for server-side retry. */
  private static final String TRANSACTION_LIFETIME = "transactionLifetimeLimitSeconds";

  private static final String DISABLE_RATE_LIMITING_RESPONSES = "disableRateLimitingResponses";

  private static final double INT_MAX = Integer.MAX_VALUE;
  private static final String BURST_CAPACITY = "burstCapacity";
  private static final String COSMOS_RULES_OFF = "cosmosRulesOff";

  /** One parameter and where it starts. */
  public record Parameter(String name, BsonValue initial, boolean isSettable) {}

  private static final List<Parameter> KNOWN =
      List.of( // sorted by name
          fixed("authenticationMechanisms", new BsonArray(List.of())),
          settable(BURST_CAPACITY, BsonBoolean.FALSE),
          settable(COSMOS_RULES_OFF, new BsonString("")),
          settable("cursorTimeoutMillis", new BsonInt64(600_000)),
          settable(DISABLE_RATE_LIMITING_RESPONSES, BsonBoolean.FALSE),
          fixed("enableTestCommands", BsonBoolean.FALSE),
          fixed("featureCompatibilityVersion", new BsonDocument("version", new BsonString("7.0"))),
          fixed("localLogicalSessionTimeoutMinutes", new BsonInt32(30)),
          settable(LogComponents.PARAMETER, LogComponents.initial()),
          settable("logLevel", new BsonInt32(0)),
          fixed("maxSessions", new BsonInt32(1_000_000)),
          settable("notablescan", BsonBoolean.FALSE),
          settable("quiet", BsonBoolean.FALSE),
          settable(TRANSACTION_LIFETIME, new BsonInt32(60)),
          settable("ttlMonitorEnabled", BsonBoolean.TRUE),
          settable("ttlMonitorSleepSecs", new BsonInt32(60)));

  private final Map<String, Parameter> known = new TreeMap<>();
  private final Map<String, BsonValue> values = new ConcurrentHashMap<>();
  private final List<BiConsumer<String, BsonValue>> listeners = new CopyOnWriteArrayList<>();
  private volatile boolean hasServerSideRetry; // asked for by every request

  public ServerParameters() {
    for (Parameter parameter : KNOWN) {
      known.put(parameter.name, parameter);
      values.put(parameter.name, parameter.initial);
    }
  }

  private static Parameter fixed(String name, BsonValue value) {
    return new Parameter(name, value, false);
  }

  private static Parameter settable(String name, BsonValue initial) {
    return new Parameter(name, initial, true);
  }

  /** Tells {@code listener} the name and the new value after every change. */
  public void onChange(BiConsumer<String, BsonValue> listener) {
    listeners.add(listener);
  }

  /** Lets the parameters about Cosmos DB's rules be what those rules are, now and later. */
  public void follow(CosmosRules rules) {
    values.put(BURST_CAPACITY, BsonBoolean.valueOf(rules.hasBurst()));
    values.put(COSMOS_RULES_OFF, new BsonString(rules.off()));
    onChange(
        (name, value) -> {
          if (name.equals(BURST_CAPACITY)) {
            rules.setBurst(value.asBoolean().getValue());
          } else if (name.equals(DISABLE_RATE_LIMITING_RESPONSES)) {
            rules.setServerSideRetry(value.asBoolean().getValue());
          } else if (name.equals(COSMOS_RULES_OFF)) {
            rules.switchOff(CosmosRule.parse(value.asString().getValue()));
          }
        });
  }

  /** Says that clients may let things go wrong on purpose. */
  public void allowTestCommands() {
    values.put("enableTestCommands", BsonBoolean.TRUE);
  }

  /** Whether the server tries again what it refused for want of request units. */
  public boolean hasServerSideRetry() {
    return hasServerSideRetry;
  }

  /** How long a transaction may be open. */
  public long transactionLifetimeSeconds() {
    return values.get(TRANSACTION_LIFETIME).asNumber().longValue();
  }

  /** The value, or null when there is no parameter of that name. */
  public BsonValue value(String name) {
    return values.get(name);
  }

  /** The parameter, or null when there is none of that name. */
  public Parameter find(String name) {
    return known.get(name);
  }

  public List<String> names() {
    return new ArrayList<>(known.keySet());
  }

  /** Changes a settable parameter, keeping its type; gives the value it had. */
  public BsonValue change(Parameter parameter, BsonValue value) {
    BsonValue converted =
        parameter.initial.isDocument()
            ? LogComponents.changed(values.get(parameter.name).asDocument(), value)
            : likeInitial(parameter, value);
    BsonValue was = values.put(parameter.name, converted);
    if (parameter.name.equals(DISABLE_RATE_LIMITING_RESPONSES)) {
      hasServerSideRetry = converted.asBoolean().getValue();
    }
    listeners.forEach(listener -> listener.accept(parameter.name, converted));
    return was;
  }

  private static BsonValue likeInitial(Parameter parameter, BsonValue value) {
    if (parameter.initial.isString()) {
      return rules(parameter, value);
    }
    double number =
        value.isBoolean()
            ? (value.asBoolean().getValue() ? 1 : 0)
            : value.isNumber() ? value.asNumber().doubleValue() : Double.NaN;
    if (Double.isNaN(number)) {
      throw ParameterErrors.badType(parameter, value);
    }
    if (parameter.name.equals(TRANSACTION_LIFETIME) && number < 1) {
      throw ParameterErrors.tooSmall(parameter, (long) number, 1);
    }
    if (parameter.initial.isInt32() && number != (int) number && Math.abs(number) > INT_MAX) {
      throw ParameterErrors.badType(parameter, value);
    }
    return number(parameter, number);
  }

  private static BsonValue rules(Parameter parameter, BsonValue value) {
    if (!value.isString()) {
      throw ParameterErrors.badType(parameter, value);
    }
    try {
      CosmosRule.parse(value.asString().getValue());
    } catch (IllegalArgumentException e) {
      throw new CommandException(ErrorCode.BAD_VALUE, parameter.name + ": " + e.getMessage());
    }
    return value;
  }

  private static BsonValue number(Parameter parameter, double number) {
    return switch (parameter.initial.getBsonType()) {
      case BOOLEAN -> BsonBoolean.valueOf(number != 0);
      case INT32 -> new BsonInt32((int) number);
      case INT64 -> new BsonInt64((long) number);
      default -> new BsonDouble(number);
    };
  }
}
