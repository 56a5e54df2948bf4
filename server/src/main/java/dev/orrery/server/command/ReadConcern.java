package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.storage.StorageException;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a read asks of its data: a level, and a cluster time to be reached (0: none).
 *
 * @param hasOpTime whether it names a place in the log of a replica set too
 */
public record ReadConcern(
    String level, long afterClusterTime, long atClusterTime, boolean hasOpTime) {
  static final ReadConcern DEFAULT = new ReadConcern("local", 0, 0, false);
  private static final List<String> LEVELS =
      List.of("local", "majority", "linearizable", "available", "snapshot");
  private static final List<String> AFTER_LEVELS = List.of("local", "majority", "snapshot");

  /** Whether the client asked for it. */
  public boolean isGiven() {
    return this != DEFAULT;
  }

  static ReadConcern parse(RawValue value) {
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "readConcern field should be an object");
    }
    return parse(value.asDocument());
  }

  private static ReadConcern parse(RawDocument document) {
    String level = DEFAULT.level;
    long after = 0;
    long at = 0;
    boolean hasOpTime = false;
    RawElements elements = document.elements();
    while (elements.next()) {
      String name = elements.name();
      switch (name) {
        case "level" -> level = level(elements.value());
        case "afterClusterTime" -> {
          after = timestamp(name, elements.value());
          require(after != 0, "afterClusterTime cannot be a null timestamp");
        }
        case "atClusterTime" -> {
          at = timestamp(name, elements.value());
          require(at != 0, "atClusterTime cannot be a null timestamp");
        }
        case "afterOpTime" -> hasOpTime = true; // between servers
        case "provenance", "allowTransactionTableSnapshot" -> {} // between servers
        default ->
            throw new CommandException(
                ErrorCode.INVALID_OPTIONS, "Unrecognized option in readConcern: " + name);
      }
    }
    var concern = new ReadConcern(level, after, at, hasOpTime);
    concern.requireLevels();
    return concern;
  }

  /** Whether everything is read as of one point. */
  public boolean isSnapshot() {
    return level.equals("snapshot");
  }

  /** As messages show it. */
  String text() {
    String after =
        afterClusterTime == 0 ? "" : ", afterClusterTime: " + timestamp(afterClusterTime);
    String at = atClusterTime == 0 ? "" : ", atClusterTime: " + timestamp(atClusterTime);
    return "{ readConcern: { level: \"%s\"%s%s, provenance: \"clientSupplied\" } }"
        .formatted(level, after, at);
  }

  /** Gets what is to be read, and says so in MongoDB's words if it is no longer there. */
  <T> T reading(Supplier<T> point) {
    try {
      return point.get();
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.POINT_LOST) {
        throw e;
      }
      throw new CommandException(
          ErrorCode.SNAPSHOT_TOO_OLD,
          "Read timestamp %s is older than the oldest available timestamp."
              .formatted(timestamp(atClusterTime)));
    }
  }

  private void requireLevels() {
    require(
        afterClusterTime == 0 || atClusterTime == 0,
        "Specifying a timestamp for readConcern snapshot in a causally consistent session is not"
            + " allowed. See"
            + " https://docs.mongodb.com/manual/core/read-isolation-consistency-recency/#causal-consistency");
    require(
        afterClusterTime == 0 || AFTER_LEVELS.contains(level),
        "afterClusterTime field can be set only if level is equal to local, majority, or snapshot");
    require(
        atClusterTime == 0 || level.equals("snapshot"),
        "atClusterTime field can be set only if level is equal to snapshot");
  }

  /** There is one copy of the data, so what was written is there: only the future is not. */
  void requireReached(ClusterClock clock) {
    requireReached("afterClusterTime", afterClusterTime, clock);
    requireReached("atClusterTime", atClusterTime, clock);
  }

  private static void requireReached(String name, long time, ClusterClock clock) {
    if (time == 0) {
      return; // as for most requests, which must not pay for words
    }
    long now = clock.now().getValue();
    if (Long.compareUnsigned(time, now) > 0) {
      throw new CommandException(
          ErrorCode.INVALID_OPTIONS,
          ("readConcern %s value must not be greater than the current clusterTime."
                  + " Requested clusterTime: { ts: %s }; current clusterTime: { ts: %s }")
              .formatted(name, timestamp(time), timestamp(now)));
    }
  }

  private static String timestamp(long time) {
    return "Timestamp(%d, %d)".formatted(time >>> 32, time & 0xFFFF_FFFFL);
  }

  private static void require(boolean isTrue, String otherwise) {
    if (!isTrue) {
      throw new CommandException(ErrorCode.INVALID_OPTIONS, otherwise);
    }
  }

  private static String level(RawValue value) {
    requireType("level", value, RawTypes.STRING, "string");
    String level = value.asString();
    if (!LEVELS.contains(level)) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "readConcern.level must be either 'local', 'majority', 'linearizable', 'available', or"
              + " 'snapshot'");
    }
    return level;
  }

  private static long timestamp(String name, RawValue value) {
    requireType(name, value, RawTypes.TIMESTAMP, "timestamp");
    return value.asInt64();
  }

  private static void requireType(String name, RawValue value, byte type, String expected) {
    if (value.type() != type) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "\"%s\" had the wrong type. Expected %s, found %s"
              .formatted(name, expected, BsonTypeNames.of(value.type())));
    }
  }
}
