package dev.orrery.storage.postgres;

import java.util.Map;

/**
 * Where the database is and how it is used.
 *
 * @param url as JDBC has it, with all hosts and without secrets
 * @param properties of the driver, such as user and password
 * @param schema where the tables are
 * @param connections how many serve commits and reads at a time
 * @param views how many read points are open at a time; each has a connection of its own
 */
public record PostgresOptions(
    String url,
    Map<String, String> properties,
    String schema,
    int connections,
    int views,
    Limits limits) {
  /** How long a lost database is waited for. */
  static final long PATIENCE_MILLIS = 60_000;

  private static final int CONNECTIONS = 16;
  private static final int VIEWS = 40;

  /**
   * What is kept.
   *
   * @param logicalPartitionBytes the documents of one partition key; writes beyond are refused
   * @param feedMillis how long changes can be read again; 0 keeps none
   */
  public record Limits(long logicalPartitionBytes, long feedMillis) {
    public static final Limits NONE = new Limits(Long.MAX_VALUE, Long.MAX_VALUE);
  }

  public PostgresOptions {
    properties = Map.copyOf(properties);
    if (!schema.matches("[a-z_][a-z0-9_]{0,62}")) {
      throw new IllegalArgumentException("not a plain name of a schema: " + schema);
    }
  }

  public static PostgresOptions of(String url, Map<String, String> properties, String schema) {
    return new PostgresOptions(url, properties, schema, CONNECTIONS, VIEWS, Limits.NONE);
  }

  public PostgresOptions with(Limits changed) {
    return new PostgresOptions(url, properties, schema, connections, views, changed);
  }

  /** Without secrets, for people. */
  @Override
  public String toString() {
    return url + " schema " + schema;
  }
}
