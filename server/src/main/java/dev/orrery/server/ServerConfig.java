package dev.orrery.server;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.ConfigSources.Setting;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.throughput.AccountLimits;
import dev.orrery.server.throughput.Consistency;
import dev.orrery.server.throughput.CosmosRule;
import dev.orrery.server.throughput.CosmosRules;
import dev.orrery.server.throughput.ThroughputRules;
import dev.orrery.storage.log.LogOptions;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
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
  private static final long PARTITION_BYTES_2018 = 10L << 30;
  private static final Pattern ADDRESS =
      Pattern.compile("(\\[[0-9a-fA-F:.]+\\]|[^\\s:/@,]+):[0-9]{1,5}");
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})\\s*([KMGT]?B)?");

  /**
   * Where clients connect.
   *
   * @param eventLoops 0: one for each two processors
   */
  public record Network(
      String bind, int port, int eventLoops, int connectionsMax, Announcement announcement) {}

  /**
   * What clients are told of where and what the server is.
   *
   * @param address host:port, or none, or null for the address that each of them reached
   * @param regions the first is that of the server
   */
  public record Announcement(String setName, @Nullable String address, List<String> regions) {}

  /**
   * Where the data is; an ephemeral server does not touch this directory.
   *
   * @param store the database that has the data instead; null for none
   * @param temporary where to put what does not fit into memory; null: among the data
   */
  public record Storage(
      Path data,
      boolean isEphemeral,
      ChangeRetention changes,
      @Nullable StoreAddress store,
      @Nullable Path temporary) {
    Storage(Path data, boolean isEphemeral) {
      this(data, isEphemeral, ChangeRetention.OFF, null, null);
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
   * @param account null when there are no users but those that are stored
   */
  public record Access(
      boolean needsLogin, boolean isInsecure, @Nullable Tls tls, @Nullable Account account) {}

  /** One who may do everything, known from the start on. */
  public record Account(String name, String key) {
    @Override
    public String toString() {
      return name;
    }
  }

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
   * @param consistency what reads promise, and are charged for
   * @param isOf2018 whether offers are those of that year
   * @param accountLimits a list that {@link AccountLimits} knows
   */
  public record Rules(
      Profile profile,
      boolean hasBurst,
      Set<CosmosRule> off,
      boolean hasTestCommands,
      Consistency consistency,
      boolean isOf2018,
      String accountLimits) {
    /** The rules as the server keeps to them. */
    public CosmosRules toCosmosRules() {
      CosmosRules rules = profile == Profile.COSMOS ? CosmosRules.cosmos() : CosmosRules.extended();
      rules.switchOff(off);
      rules.setBurst(hasBurst);
      rules.setConsistency(consistency);
      rules.setAccount(AccountLimits.parse(accountLimits, System::nanoTime));
      rules.setLeastWithKey(isOf2018 ? ThroughputRules.LEAST_WITH_KEY_2018 : 0);
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
            announcement(sources));
    var limits =
        new Limits(
            segment(sources.setting(ConfigKey.LIMIT_LOG_SEGMENT)),
            partitionSize(sources, ConfigKey.LIMIT_LOGICAL_PARTITION),
            partitionSize(sources, ConfigKey.LIMIT_PHYSICAL_PARTITION),
            integer(sources.setting(ConfigKey.LIMIT_PARTITION_THROUGHPUT), 1, 1_000_000_000),
            sizeOrAuto(sources.setting(ConfigKey.LIMIT_MEMORY)));
    var diagnostics =
        new Diagnostics(
            portOrOff(sources.setting(ConfigKey.CONSOLE_PORT)),
            names(sources.setting(ConfigKey.CONSOLE_HOSTS)),
            oneOf(LogLevel.values(), sources.setting(ConfigKey.LOG_LEVEL)),
            integer(sources.setting(ConfigKey.SLOWMS), 0, Integer.MAX_VALUE));
    return new ServerConfig(
        network, storage(sources), rules(sources), limits, diagnostics, access(sources));
  }

  private static Storage storage(ConfigSources sources) {
    Setting data = sources.setting(ConfigKey.DATA);
    boolean isEphemeral = trueOrFalse(sources.setting(ConfigKey.EPHEMERAL));
    ChangeRetention changes = retention(sources.setting(ConfigKey.LIMIT_CHANGE_RETENTION));
    String address = sources.setting(ConfigKey.STORE).text();
    String password = sources.setting(ConfigKey.STORE_PASSWORD).text();
    Path file = file(sources.setting(ConfigKey.STORE_PASSWORD_FILE));
    Path temporary = pathIfAny(sources.setting(ConfigKey.TEMPORARY));
    if (address.isEmpty()) {
      if (file != null || !password.isEmpty()) {
        throw new ConfigException("a password of the store needs --store");
      }
      return new Storage(path(data), isEphemeral, changes, null, temporary);
    }
    if (isEphemeral) {
      throw new ConfigException("store and ephemeral exclude each other");
    }
    // What is left for a directory is temporary, unless somebody wants to keep the console's
    // history.
    boolean isTemporary = data.name().equals(ConfigKey.DATA.key());
    StoreAddress store = StoreAddress.parse(address).withPassword(password, file);
    return new Storage(path(data), isTemporary, changes, store, temporary);
  }

  /** Whether Cosmos DB's values are those of the time when partitions were first described. */
  private static boolean isOf2018(ConfigSources sources) {
    Setting limits = sources.setting(ConfigKey.LIMITS);
    return switch (limits.text()) {
      case "now" -> false;
      case "2018" -> true;
      default -> throw wrong(limits, "now or 2018");
    };
  }

  /** What was said, or what was usual at the time that is meant. */
  private static long partitionSize(ConfigSources sources, ConfigKey key) {
    Setting setting = sources.setting(key);
    boolean isUsual = setting.text().equals(key.defaultValue());
    return isUsual && isOf2018(sources) ? PARTITION_BYTES_2018 : size(setting);
  }

  private static Rules rules(ConfigSources sources) {
    Setting off = sources.setting(ConfigKey.COSMOS_RULES_OFF);
    try {
      return new Rules(
          oneOf(Profile.values(), sources.setting(ConfigKey.PROFILE)),
          trueOrFalse(sources.setting(ConfigKey.BURST_CAPACITY)),
          CosmosRule.parse(off.text()),
          trueOrFalse(sources.setting(ConfigKey.TEST_COMMANDS)),
          oneOf(Consistency.values(), sources.setting(ConfigKey.CONSISTENCY)),
          isOf2018(sources),
          accountLimits(sources));
    } catch (IllegalArgumentException e) {
      throw new ConfigException("cosmos-rules-off: " + e.getMessage());
    }
  }

  private static String accountLimits(ConfigSources sources) {
    String list = sources.setting(ConfigKey.ACCOUNT_LIMITS).text();
    try {
      AccountLimits.parse(list, System::nanoTime);
    } catch (IllegalArgumentException e) {
      throw new ConfigException("account-limits: " + e.getMessage());
    }
    return list;
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
    Account account = account(sources);
    return new Access(
        needsLogin || account != null,
        isInsecure,
        isOn ? new Tls(isOnly, certificate, key, authority) : null,
        account);
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

  private static @Nullable Path pathIfAny(Setting setting) {
    return setting.text().isEmpty() ? null : path(setting);
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
      if (textOf(value).equals(setting.text())) {
        return value;
      }
    }
    throw wrong(
        setting,
        Arrays.stream(values).map(ServerConfig::textOf).collect(Collectors.joining(" or ")));
  }

  private static String textOf(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static Announcement announcement(ConfigSources sources) {
    Setting address = sources.setting(ConfigKey.ADVERTISE);
    boolean isGiven = !address.text().isEmpty();
    boolean isNone = address.text().equals(ServerFacts.NO_HOST);
    if (isGiven && !isNone && !ADDRESS.matcher(address.text()).matches()) {
      throw wrong(address, "none, or a host and a port, such as db.example:27017");
    }
    List<String> regions =
        Arrays.stream(sources.setting(ConfigKey.REGIONS).text().split(",", -1))
            .map(String::strip)
            .filter(region -> !region.isEmpty())
            .toList();
    return new Announcement(
        setName(sources.setting(ConfigKey.REPLICA_SET)), isGiven ? address.text() : null, regions);
  }

  private static @Nullable Account account(ConfigSources sources) {
    String name = sources.setting(ConfigKey.ACCOUNT).text();
    Path file = file(sources.setting(ConfigKey.ACCOUNT_KEY_FILE));
    if (name.isEmpty() != (file == null)) {
      throw new ConfigException("account and account-key-file need each other");
    }
    if (file == null) {
      return null;
    }
    try {
      String key = Files.readString(file).strip();
      if (key.isEmpty() || key.lines().count() != 1) {
        throw new ConfigException("account-key-file " + file + " must have one line: the key");
      }
      return new Account(name, key);
    } catch (IOException e) {
      throw new ConfigException("account-key-file " + file + " cannot be read: " + e);
    }
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
