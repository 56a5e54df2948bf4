package dev.orrery.server;

import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.postgres.PostgresEngine;
import dev.orrery.storage.postgres.PostgresOptions;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A database that servers share, as {@code --store} names it. The password is kept out of what is
 * printed, and out of command lines, which everybody on the machine can read.
 */
public final class StoreAddress {
  private static final Pattern URL =
      Pattern.compile("postgres(?:ql)?://(?:([^@/?]*)@)?([^@/?]+)/([^/?]+)(?:\\?(.*))?");
  private static final String SCHEMA = "schema";
  private static final String CONNECTIONS = "connections";
  private static final String READ_POINTS = "readPoints";
  private static final int CONNECTIONS_MAX = 1_000;

  private final String hosts;
  private final String database;
  private final Map<String, String> parameters;
  private final Map<String, String> secrets = new TreeMap<>();

  private StoreAddress(String hosts, String database, Map<String, String> parameters) {
    this.hosts = hosts;
    this.database = database;
    this.parameters = parameters;
  }

  /**
   * Reads {@code postgresql://user@host:port,host:port/database?parameters}.
   *
   * @throws ConfigException if it is not written so, or has a password
   */
  static StoreAddress parse(String text) {
    Matcher matcher = URL.matcher(text);
    if (!matcher.matches()) {
      throw new ConfigException(
          "store must be postgresql://user@host:port,host:port/database, not '"
              + text.replaceAll("//.*@", "//...@")
              + "'");
    }
    String user = matcher.group(1);
    Map<String, String> parameters = parameters(matcher.group(4));
    if (user != null && user.contains(":") || parameters.containsKey("password")) {
      throw new ConfigException(
          "store must not have a password: give it by "
              + ConfigKey.STORE_PASSWORD.environmentName()
              + " or --"
              + ConfigKey.STORE_PASSWORD_FILE.key());
    }
    if (user != null && !user.isEmpty()) {
      parameters.put("user", decode(user));
    }
    var address = new StoreAddress(matcher.group(2), matcher.group(3), parameters);
    address.number(CONNECTIONS, 1);
    address.number(READ_POINTS, 1);
    return address;
  }

  private static Map<String, String> parameters(@Nullable String text) {
    var parameters = new LinkedHashMap<String, String>();
    if (text != null && !text.isEmpty()) {
      for (String each : text.split("&", -1)) {
        int equals = each.indexOf('=');
        if (equals <= 0) {
          throw new ConfigException("store has a parameter without a value: " + each);
        }
        parameters.put(decode(each.substring(0, equals)), decode(each.substring(equals + 1)));
      }
    }
    return parameters;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new ConfigException("store: " + e.getMessage());
    }
  }

  private int number(String name, int otherwise) {
    String text = parameters.get(name);
    if (text == null) {
      return otherwise;
    }
    int number = text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
    if (number < 1 || number > CONNECTIONS_MAX) {
      throw new ConfigException(
          "store: %s must be a number from 1 to %d, not '%s'"
              .formatted(name, CONNECTIONS_MAX, text));
    }
    return number;
  }

  /** The same with a password, if there is one. */
  StoreAddress withPassword(String password, @Nullable Path file) {
    if (!password.isEmpty() && file != null) {
      throw new ConfigException("store-password and store-password-file exclude each other");
    }
    String secret = password;
    if (file != null) {
      try {
        secret = Files.readString(file).strip();
      } catch (IOException e) {
        throw new ConfigException("cannot read store-password-file " + file + ": " + e);
      }
    }
    if (!secret.isEmpty()) {
      secrets.put("password", secret);
    }
    return this;
  }

  /** What opens the database that the configuration names, or what is given if it names none. */
  static EngineBackend.EngineOpener opener(
      ServerConfig config, EngineBackend.EngineOpener otherwise) {
    StoreAddress store = config.storage().store();
    return store == null ? otherwise : (directory, options, hooks) -> store.open(config, hooks);
  }

  /** The first use of the engine's classes, and of the driver's. */
  private StorageEngine open(ServerConfig config, StorageHooks hooks) {
    var limits =
        new PostgresOptions.Limits(
            config.limits().logicalPartitionBytes(), config.storage().changes().feedMillis());
    return PostgresEngine.open(toOptions(limits), hooks);
  }

  private PostgresOptions toOptions(PostgresOptions.Limits limits) {
    var properties = new TreeMap<>(parameters);
    String schema = Objects.requireNonNullElse(properties.remove(SCHEMA), "orrery");
    properties.remove(CONNECTIONS);
    properties.remove(READ_POINTS);
    properties.putAll(secrets);
    PostgresOptions options;
    try {
      options =
          PostgresOptions.of("jdbc:postgresql://" + hosts + "/" + database, properties, schema);
    } catch (IllegalArgumentException e) {
      throw new ConfigException("store: " + e.getMessage());
    }
    return new PostgresOptions(
        options.url(),
        options.properties(),
        options.schema(),
        number(CONNECTIONS, options.connections()),
        number(READ_POINTS, options.views()),
        limits);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StoreAddress address
        && hosts.equals(address.hosts)
        && database.equals(address.database)
        && parameters.equals(address.parameters)
        && secrets.equals(address.secrets);
  }

  @Override
  public int hashCode() {
    return Objects.hash(hosts, database, parameters);
  }

  @Override
  public String toString() {
    return "postgresql://" + hosts + "/" + database;
  }
}
