package dev.orrery.server.command;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Something that goes wrong on purpose, with some of the requests that it is meant for. The same
 * seed chooses the same requests out of the same ones. Thread-safe.
 */
public final class Fault {
  /** What goes wrong. */
  public enum Kind {
    CLOSE_AFTER("closeAfter"),
    CLOSE_BEFORE("closeBefore"),
    DELAY("delay"),
    THROTTLE("throttle");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** As users write it. */
    public String text() {
      return text;
    }
  }

  /**
   * Which requests are meant.
   *
   * @param commands by name
   * @param database null for all
   * @param collection null for all
   */
  public record Target(
      Set<String> commands, @Nullable String database, @Nullable String collection) {}

  /**
   * How many of them.
   *
   * @param share from 0 to 1
   * @param times after how many it ends; negative for never
   */
  public record Extent(double share, long times, long seed) {}

  private final Kind kind;
  private final Target target;
  private final Extent extent;
  private final long millis;
  private final Random random;
  private long count;

  /**
   * @param millis how long to wait, or to tell the client to wait
   */
  public Fault(Kind kind, Target target, Extent extent, long millis) {
    this.kind = kind;
    this.target = target;
    this.extent = extent;
    this.millis = millis;
    this.random = new Random(extent.seed);
  }

  Kind kind() {
    return kind;
  }

  long millis() {
    return millis;
  }

  /** How often it struck. */
  public synchronized long count() {
    return count;
  }

  /** Whether it strikes that request. */
  synchronized boolean strikes(RawDocument body) {
    RawElements first = body.elements();
    if (!first.next() || !target.commands.contains(first.name())) {
      return false;
    }
    RawValue database = body.field("$db");
    RawValue collection = first.name().equals("getMore") ? body.field("collection") : first.value();
    if (!isMeant(target.database, database) || !isMeant(target.collection, collection)) {
      return false;
    }
    boolean isOver = extent.times >= 0 && count >= extent.times;
    if (isOver || random.nextDouble() >= extent.share) {
      return false;
    }
    count++;
    return true;
  }

  private static boolean isMeant(@Nullable String wanted, @Nullable RawValue found) {
    return wanted == null
        || found != null && found.type() == RawTypes.STRING && found.asString().equals(wanted);
  }
}
