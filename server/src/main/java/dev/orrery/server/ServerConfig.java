package dev.orrery.server;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.ConfigSources.Setting;
import dev.orrery.server.throughput.CosmosRule;
import dev.orrery.server.throughput.CosmosRules;
import dev.orrery.storage.log.LogOptions;
import java.math.BigInteger;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the server was told, parsed and checked. */
public record ServerConfig(
    Network network,
    Storage storage,
    Rules rules,
    Limits limits,
    Diagnostics diagnostics,
    Access access) {
  private static final int PORT_MAX = 65_535;
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})\\s*([KMGT]?B)?");

  /**
   * Where clients connect.
   *
   * @param eventLoops 0: one for each two processors
   */
  public record Network(
      String bind, int port, int eventLoops, int connectionsMax, String setName) {}

  /** Where the data is; an ephemeral server does not touch this directory. */
  public record Storage(Path data, boolean isEphemeral, ChangeRetention changes) {
    Storage(Path data, boolean isEphemeral) {
      this(data, isEphemeral, ChangeRetention.OFF);
    }
  }

  /**
   * What a partition may grow to, and what requests may take.
   *
   * @param memoryBytes 0: a third of the heap
   */
  public record Limits(
      int logSegmentBytes,
      long logicalPartitionBytes,
      long physicalPartitionBytes,
      int partitionThroughput,
      long memoryBytes) {
    /** What requests, cursors and messages may take of the heap together. */
    public MemoryBudget memory() {
      return memoryBytes == 0 ? MemoryBudget.ofHeap() : new MemoryBudget(memoryBytes);
    }
  }

  /** How to look inside; the console is off when it has no port. */
  public record Diagnostics(
      OptionalInt consolePort, Set<String> consoleHosts, LogLevel logLevel, int slowMillis) {}

  /**
   * Who may connect, and how.
   *
   * @param needsLogin whether only users are let in
   * @param isInsecure whether strangers from other machines are let in on purpose
   * @param tls null when TLS is off
   */
  public record Access(boolean needsLogin, boolean isInsecure, @Nullable Tls tls) {}

  /**
   * Encrypted connections.
   *
   * @param isOnly whether others are refused
   * @param certificate null for a self-signed one; then the key is null as well
   * @param authority null when clients have no certificates
   */
  public record Tls(
      boolean isOnly, @Nullable Path certificate, @Nullable Path key, @Nullable Path authority) {}

  /**
   * How like Cosmos DB the server is.
   *
   * @param hasBurst whether small partitions save up what they do not spend
   * @param off rules of the profile cosmos that are not in force
   * @param hasTestCommands whether clients may order faults
   */
  public record Rules(
      Profile profile, boolean hasBurst, Set<CosmosRule> off, boolean hasTestCommands) {
    /** The rules as the server keeps to them. */
    public CosmosRules toCosmosRules() {
      CosmosRules rules = profile == Profile.COSMOS ? CosmosRules.cosmos() : CosmosRules.extended();
      rules.switchOff(off);
      rules.setBurst(hasBurst);
      return rules;
    }
  }

  public Profile profile() {
    return rules.profile;
  }

  /** Which refusals are in force. */
  public enum Profile {
    EXTENDED,
    COSMOS
  }

  /** The least severity that is written to standard error. */
  public enum LogLevel {
    OFF,
    ERROR,
    WARN,
    INFO,
    DEBUG
  }

  static ServerConfig parse(ConfigSources sources) {
    var network =
        new Network(
            text(sources.setting(ConfigKey.BIND)),
            integer(sources.setting(ConfigKey.PORT), 0, PORT_MAX),
            integer(sources.setting(ConfigKey.EVENT_LOOPS), 0, 1024),
            integer(sources.setting(ConfigKey.LIMIT_CONNECTIONS), 1, 1_000_000),
            setName(sources.setting(ConfigKey.REPLICA_SET)));
    var storage =
        new Storage(
            path(sources.setting(ConfigKey.DATA)),
            trueOrFalse(sources.setting(ConfigKey.EPHEMERAL)),
            retention(sources.setting(ConfigKey.LIMIT_CHANGE_RETENTION)));
    var limits =
        new Limits(
            segment(sources.setting(ConfigKey.LIMIT_LOG_SEGMENT)),
            size(sources.setting(ConfigKey.LIMIT_LOGICAL_PARTITION)),
            size(sources.setting(ConfigKey.LIMIT_PHYSICAL_PARTITION)),
            integer(sources.setting(ConfigKey.LIMIT_PARTITION_THROUGHPUT), 1, 1_000_000_000),
            sizeOrAuto(sources.setting(ConfigKey.LIMIT_MEMORY)));
    var diagnostics =
        new Diagnostics(
            portOrOff(sources.setting(ConfigKey.CONSOLE_PORT)),
            names(sources.setting(ConfigKey.CONSOLE_HOSTS)),
            oneOf(LogLevel.values(), sources.setting(ConfigKey.LOG_LEVEL)),
            integer(sources.setting(ConfigKey.SLOWMS), 0, Integer.MAX_VALUE));
    return new ServerConfig(network, storage, rules(sources), limits, diagnostics, access(sources));
  }

  private static Rules rules(ConfigSources sources) {
    Setting off = sources.setting(ConfigKey.COSMOS_RULES_OFF);
    try {
      return new Rules(
          oneOf(Profile.values(), sources.setting(ConfigKey.PROFILE)),
          trueOrFalse(sources.setting(ConfigKey.BURST_CAPACITY)),
          CosmosRule.parse(off.text()),
          trueOrFalse(sources.setting(ConfigKey.TEST_COMMANDS)));
    } catch (IllegalArgumentException e) {
      throw new ConfigException("cosmos-rules-off: " + e.getMessage());
    }
  }

  private static Access access(ConfigSources sources) {
    boolean needsLogin = trueOrFalse(sources.setting(ConfigKey.AUTH));
    boolean isInsecure = trueOrFalse(sources.setting(ConfigKey.INSECURE));
    boolean isOnly = trueOrFalse(sources.setting(ConfigKey.TLS_ONLY));
    boolean isOn = isOnly || trueOrFalse(sources.setting(ConfigKey.TLS));
    Path certificate = file(sources.setting(ConfigKey.TLS_CERT));
    Path key = file(sources.setting(ConfigKey.TLS_KEY));
    Path authority = file(sources.setting(ConfigKey.TLS_CA));
    if ((certificate == null) != (key == null)) {
      throw new ConfigException("tls-cert and tls-key need each other");
    }
    if (!isOn && (certificate != null || authority != null)) {
      throw new ConfigException("tls-cert, tls-key and tls-ca need --tls or --tls-only");
    }
    return new Access(
        needsLogin, isInsecure, isOn ? new Tls(isOnly, certificate, key, authority) : null);
  }

  /** The path, or null when there is none. */
  private static @Nullable Path file(Setting setting) {
    return setting.text().isEmpty() ? null : path(setting);
  }

  private static String text(Setting setting) {
    if (setting.text().isEmpty()) {
      throw wrong(setting, "a host name or an address");
    }
    return setting.text();
  }

  private static String setName(Setting setting) {
    if (setting.text().isEmpty()) {
      throw wrong(setting, "the name of a replica set");
    }
    return setting.text();
  }

  private static Path path(Setting setting) {
    try {
      if (!setting.text().isEmpty()) {
        return Path.of(setting.text());
      }
    } catch (InvalidPathException e) {
      // told below, like an empty one
    }
    throw wrong(setting, "a directory");
  }

  private static int integer(Setting setting, int min, int max) {
    if (setting.text().matches("[0-9]{1,10}")) {
      long value = Long.parseLong(setting.text());
      if (value >= min && value <= max) {
        return (int) value;
      }
    }
    throw wrong(setting, "a number from " + min + " to " + max);
  }

  private static Set<String> names(Setting setting) {
    return Arrays.stream(setting.text().split(",", -1))
        .map(name -> name.strip().toLowerCase(Locale.ROOT))
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  private static OptionalInt portOrOff(Setting setting) {
    if (setting.text().equals("off")) {
      return OptionalInt.empty();
    }
    try {
      return OptionalInt.of(integer(setting, 0, PORT_MAX));
    } catch (ConfigException e) {
      throw wrong(setting, "off, or a number from 0 to " + PORT_MAX);
    }
  }

  private static boolean trueOrFalse(Setting setting) {
    return switch (setting.text()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wrong(setting, "true or false");
    };
  }

  private static <E extends Enum<E>> E oneOf(E[] values, Setting setting) {
    for (E value : values) {
      if (value.name().toLowerCase(Locale.ROOT).equals(setting.text())) {
        return value;
      }
    }
    throw wrong(
        setting,
        Arrays.stream(values)
            .map(value -> value.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(" or ")));
  }

  private static ChangeRetention retention(Setting setting) {
    ChangeRetention retention = ChangeRetention.parse(setting.text());
    if (retention == null) {
      throw wrong(setting, "off, or a time such as 30m, 12h or 1d, or a time and a size: 1d,5GB");
    }
    return retention;
  }

  private static int segment(Setting setting) {
    long bytes = size(setting);
    if (bytes < LogOptions.SEGMENT_BYTES_MIN || bytes > LogOptions.SEGMENT_BYTES_MAX) {
      throw wrong(setting, "a size from 4KB to 1GB");
    }
    return (int) bytes;
  }

  /** Bytes; 0 for what the server chooses. */
  private static long sizeOrAuto(Setting setting) {
    if (setting.text().equals("auto")) {
      return 0;
    }
    try {
      return size(setting);
    } catch (ConfigException e) {
      throw wrong(setting, "auto, or a size such as 500KB, 1MB or 20GB");
    }
  }

  /** Bytes, in powers of 1024. */
  private static long size(Setting setting) {
    Matcher matcher = SIZE.matcher(setting.text().toUpperCase(Locale.ROOT));
    if (matcher.matches()) {
      String unit = matcher.group(2);
      int power = unit == null ? 0 : "BKMGT".indexOf(unit.charAt(0));
      var bytes = new BigInteger(matcher.group(1)).shiftLeft(10 * power);
      if (bytes.signum() > 0 && bytes.bitLength() < Long.SIZE) {
        return bytes.longValueExact();
      }
    }
    throw wrong(setting, "a size such as 500KB, 1MB or 20GB");
  }

  private static ConfigException wrong(Setting setting, String allowed) {
    return new ConfigException(
        setting.name() + " is '" + setting.text() + "', but must be " + allowed);
  }
}
