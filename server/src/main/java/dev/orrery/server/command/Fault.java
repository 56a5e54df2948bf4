package dev.orrery.server.command;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.bson.BsonArray;
import org.jspecify.annotations.Nullable;

/**
 * Something that goes wrong on purpose: with some of the requests that it is meant for, or with the
 * server as a whole. The same seed chooses the same requests out of the same ones. Thread-safe.
 */
public final class Fault {
  private static final Set<String> WRITES = Set.of("delete", "findAndModify", "insert", "update");

  /** What can be struck: requests about documents. Others would lock out who wants to end it. */
  public static final Set<String> COMMANDS =
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

  /** What goes wrong. */
  public enum Kind {
    CLOSE_AFTER("closeAfter", COMMANDS),
    CLOSE_BEFORE("closeBefore", COMMANDS),
    DELAY("delay", COMMANDS),
    EXPIRE_CURSOR("expireCursor", Set.of("getMore")),
    FAIL("fail", COMMANDS),
    FILL_DISK("fillDisk", Set.of()),
    JUMP_TIME("jumpTime", Set.of()),
    MERGE("merge", WRITES),
    SPLIT("split", WRITES),
    STEP_DOWN("stepDown", Set.of()),
    THROTTLE("throttle", COMMANDS);

    private final String text;
    private final Set<String> commands;

    Kind(String text, Set<String> commands) {
      this.text = text;
      this.commands = commands;
    }

    /** As users write it. */
    public String text() {
      return text;
    }

    /** The commands that it can strike; none if it befalls the whole server. */
    public Set<String> commands() {
      return commands;
    }

    /** Whether it befalls the server until it is ended, and no single requests. */
    public boolean isLasting() {
      return commands.isEmpty();
    }
  }

  /**
   * Which requests are meant.
   *
   * @param commands by name
   * @param database null for all
   * @param collection null for all
   * @param place null for all
   */
  public record Target(
      Set<String> commands,
      @Nullable String database,
      @Nullable String collection,
      @Nullable Place place) {
    private boolean isOf(String otherDatabase, String otherCollection) {
      return (database == null || database.equals(otherDatabase))
          && (collection == null || collection.equals(otherCollection));
    }
  }

  /**
   * A part of a collection.
   *
   * @param partition negative for all
   * @param key a value of the partition key as {@link dev.orrery.value.KeyEncoder} writes it; null
   *     for all
   */
  public record Place(int partition, byte @Nullable [] key) {
    boolean has(Set<Integer> partitions, byte @Nullable [] other) {
      return (partition < 0 || partitions.contains(partition))
          && (key == null || Arrays.equals(key, other));
    }
  }

  /**
   * How many of them.
   *
   * @param share from 0 to 1
   * @param times after how many it ends; negative for never
   * @param every one in so many, which is the last of them
   */
  public record Extent(double share, long times, long every, long seed) {}

  /**
   * What they get.
   *
   * @param millis how long to wait, or to tell the client to wait
   * @param code of the answer
   * @param labels of the answer; null for those that MongoDB would choose
   * @param message of the answer; null for ours
   */
  public record Effect(
      long millis, int code, @Nullable BsonArray labels, @Nullable String message) {}

  private final Kind kind;
  private final Target target;
  private final Extent extent;
  private final Effect effect;
  private final Random random;
  private long met;
  private long count;

  public Fault(Kind kind, Target target, Extent extent, Effect effect) {
    this.kind = kind;
    this.target = target;
    this.extent = extent;
    this.effect = effect;
    this.random = new Random(extent.seed);
  }

  public Kind kind() {
    return kind;
  }

  Effect effect() {
    return effect;
  }

  /** Whether it is meant for a part of a collection, which is not known before a request runs. */
  boolean isOfPlace() {
    return target.place != null;
  }

  /** How often it struck. */
  public synchronized long count() {
    return count;
  }

  /** Strikes something that is meant in any case. */
  synchronized void strike() {
    count++;
  }

  /** Whether it strikes that request. */
  synchronized boolean strikes(RawDocument body) {
    RawElements first = body.elements();
    if (target.place != null || !first.next() || !target.commands.contains(first.name())) {
      return false;
    }
    RawValue database = body.field("$db");
    RawValue collection = first.name().equals("getMore") ? body.field("collection") : first.value();
    return target.isOf(text(database), text(collection)) && isChosen();
  }

  /** Whether it strikes a request, or a part of one, that is about those partitions. */
  synchronized boolean strikes(
      String database, String collection, Set<Integer> partitions, byte @Nullable [] key) {
    return target.place != null
        && target.isOf(database, collection)
        && target.place.has(partitions, key)
        && isChosen();
  }

  private boolean isChosen() {
    boolean isOver = extent.times >= 0 && count >= extent.times;
    if (isOver || ++met % extent.every != 0 || random.nextDouble() >= extent.share) {
      return false;
    }
    count++;
    return true;
  }

  /** Empty for what is no text, which nobody can mean. */
  static String text(@Nullable RawValue value) {
    return value != null && value.type() == RawTypes.STRING ? value.asString() : "";
  }
}
