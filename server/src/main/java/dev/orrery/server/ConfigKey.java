package dev.orrery.server;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Everything that can be configured: its key in a properties file, its default, and what it means.
 *
 * <p>{@code console-port} is {@code --console-port} on the command line and {@code
 * ORRERY_CONSOLE_PORT} in the environment; {@code limit.connections} is {@code --limit
 * connections=...} and {@code ORRERY_LIMIT_CONNECTIONS}.
 */
enum ConfigKey {
  ACCOUNT(
      "account",
      "",
      "Name of an account that may do everything, as in Cosmos DB; needs --account-key-file, and"
          + " only users are let in."),
  ACCOUNT_KEY_FILE(
      "account-key-file", "", "File with the key of --account: the password, alone on its line."),
  ACCOUNT_LIMITS(
      "account-limits",
      "",
      "What an account of Cosmos DB may do as a whole, separated by commas: metadata (240 RU/s),"
          + " offer-changes (25 in 5 minutes), serverless, throughput=RU/s of all offers."),
  ADVERTISE(
      "advertise",
      "",
      "host:port that clients are told to use, for servers behind a port map; none for no address:"
          + " clients keep the one that they have. Else the address that they reached."),
  AUTH("auth", "false", "Let in only users with a password or a certificate."),
  BIND("bind", "127.0.0.1", "Address to listen on."),
  BURST_CAPACITY(
      "burst-capacity",
      "false",
      "Let partitions below 3000 RU/s save up to five minutes' worth and spend it at 3000 RU/s."),
  CONSISTENCY(
      "consistency",
      "session",
      "Cosmos DB's level: strong, bounded-staleness, session, consistent-prefix or eventual. The"
          + " first two double the price of reads."),
  CONSOLE_HOSTS(
      "console-hosts",
      "",
      "Names by which browsers may call the console, beside localhost and addresses; separated by"
          + " commas."),
  CONSOLE_PORT(
      "console-port",
      "8081",
      "Port of the console, /metrics and /readyz, or off; 0: any free one. Only this machine"
          + " reaches it unless --auth is on."),
  COSMOS_RULES_OFF(
      "cosmos-rules-off",
      "",
      "Rules of the profile cosmos that are not in force, by name and separated by commas; all."),
  DATA("data", "./orrery-data", "Directory that holds the data."),
  EPHEMERAL(
      "ephemeral",
      "false",
      "Keep data in a temporary directory, without waiting for the disk, and remove it at the end."
          + " The data directory is left alone."),
  EVENT_LOOPS(
      "event-loops",
      "0",
      "Threads that serve connections; 0: one for each two processors. As many as processors suit a"
          + " server whose clients run elsewhere."),
  INSECURE(
      "insecure",
      "false",
      "Let everybody in without --auth, also from other machines. Think twice."),
  LIMITS(
      "limits",
      "now",
      "now, or 2018: 10 GB for a partition key and a partition, and 1000 RU/s at least with a"
          + " key."),
  LOG_LEVEL("log-level", "warn", "What goes to standard error: off, error, warn, info or debug."),
  PORT("port", "27017", "Port to listen on; 0: any free one."),
  PROFILE(
      "profile", "extended", "extended: all that is implemented; cosmos: Cosmos DB's refusals."),
  REGIONS(
      "regions",
      "",
      "Regions of Cosmos DB, separated by commas; clients see the first as the tag of this"
          + " server."),
  REPLICA_SET("replica-set", "globaldb", "Name of the replica set that clients see."),
  SLOWMS(
      "slowms",
      "100",
      "Milliseconds after which an operation is slow, and logged as a line of JSON."),
  STORE(
      "store",
      "",
      "A database that servers share instead of a data directory:"
          + " postgresql://user@host:port,host:port/database; see docs/scale-out.md."),
  STORE_PASSWORD(
      "store-password", "", "Password of the database; by the environment or a file only."),
  STORE_PASSWORD_FILE("store-password-file", "", "File with the password of the database."),
  TEMPORARY(
      "temporary",
      "",
      "Directory for what does not fit into memory: large sorts, groups, cursors that rest. Without"
          + " one it is in the data directory."),
  TEST_COMMANDS(
      "test-commands", "false", "Let clients order faults. For tests; see docs/testing.md."),
  TLS(
      "tls",
      "false",
      "Speak TLS to clients that begin with it, on the same port. Without --tls-cert a self-signed"
          + " certificate is made in the data directory."),
  TLS_CA("tls-ca", "", "PEM file with the authorities that sign certificates of clients."),
  TLS_CERT("tls-cert", "", "PEM file with the certificate of the server and its chain."),
  TLS_KEY("tls-key", "", "PEM file with the private key of the server (PKCS #8, no password)."),
  TLS_ONLY("tls-only", "false", "Speak TLS and nothing else."),

  LIMIT_CHANGE_RETENTION(
      "limit.change-retention",
      "1d",
      "How long changes can be read again by change streams, and of how many bytes of the log, such"
          + " as 12h or 1d,5GB; a tenth of the free disk without a size; off."),
  LIMIT_CONNECTIONS("limit.connections", "20000", "Connections that are open at a time."),
  LIMIT_LOG_SEGMENT("limit.log-segment", "64MB", "Size of one file of the log, 4KB to 1GB."),
  LIMIT_LOGICAL_PARTITION(
      "limit.logical-partition", "20GB", "Size of all documents with one partition key value."),
  LIMIT_MEMORY(
      "limit.memory",
      "auto",
      "Heap that requests, cursors and messages may take together; auto: a third of the heap."),
  LIMIT_PARTITION_THROUGHPUT(
      "limit.partition-throughput", "10000", "Request units a second of one physical partition."),
  LIMIT_PHYSICAL_PARTITION(
      "limit.physical-partition", "50GB", "Size at which a physical partition is split.");

  static final String ENVIRONMENT_PREFIX = "ORRERY_";
  private static final String LIMIT_PREFIX = "limit.";

  private final String key;
  private final String defaultValue;
  private final String doc;

  ConfigKey(String key, String defaultValue, String doc) {
    this.key = key;
    this.defaultValue = defaultValue;
    this.doc = doc;
  }

  String key() {
    return key;
  }

  String defaultValue() {
    return defaultValue;
  }

  String doc() {
    return doc;
  }

  String environmentName() {
    return ENVIRONMENT_PREFIX + key.replace('-', '_').replace('.', '_').toUpperCase(Locale.ROOT);
  }

  boolean isLimit() {
    return key.startsWith(LIMIT_PREFIX);
  }

  /** The name of a limit after {@code --limit}. */
  String limitName() {
    return key.substring(LIMIT_PREFIX.length());
  }

  static Optional<ConfigKey> find(String key) {
    return Arrays.stream(values()).filter(each -> each.key.equals(key)).findFirst();
  }
}
