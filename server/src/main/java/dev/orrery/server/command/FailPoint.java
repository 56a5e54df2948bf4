package dev.orrery.server.command;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * MongoDB's fail point {@code failCommand}: what goes wrong with commands on purpose, as test
 * suites of drivers order it. Thread-safe.
 */
public final class FailPoint {
  /** When it strikes those that are meant. */
  public enum When {
    ALWAYS,
    /** The first so many. */
    TIMES,
    /** All but the first so many. */
    SKIP,
    /** By chance. */
    CHANCE
  }

  /**
   * How often it strikes.
   *
   * @param count of TIMES and SKIP
   * @param chance of CHANCE, from 0 to 1
   */
  public record Mode(When when, long count, double chance) {}

  /**
   * Which requests are meant.
   *
   * @param commands in small letters, as old names differ by nothing else; null for all
   * @param application null for all
   * @param namespace null for all
   */
  public record Target(
      @Nullable Set<String> commands, @Nullable String application, @Nullable String namespace) {}

  /**
   * What happens to them.
   *
   * @param blockMillis negative when they do not wait
   * @param code 0 when they do not fail
   * @param labels null for those that MongoDB would choose
   * @param writeConcernError null when they have none of it
   */
  public record Effect(
      long blockMillis,
      boolean closes,
      int code,
      @Nullable BsonArray labels,
      BsonDocument extra,
      @Nullable BsonDocument writeConcernError) {
    boolean isBeforeRun() {
      return blockMillis >= 0 || closes || code != 0;
    }
  }

  private static final String OWN_COMMAND = "configurefailpoint";

  /** Commands that may say when a write counts as done. */
  private static final Set<String> WRITES =
      Set.of(
          "aborttransaction",
          "aggregate",
          "collmod",
          "committransaction",
          "create",
          "createindexes",
          "delete",
          "drop",
          "dropdatabase",
          "dropindexes",
          "findandmodify",
          "insert",
          "renamecollection",
          "update");

  private final Mode mode;
  private final Target target;
  private final Effect effect;
  private long met;

  public FailPoint(Mode mode, Target target, Effect effect) {
    this.mode = mode;
    this.target = target;
    this.effect = effect;
  }

  Effect effect() {
    return effect;
  }

  /** Whether it strikes that request. */
  synchronized boolean strikes(Request request) {
    String name = request.commandName().toLowerCase(Locale.ROOT);
    boolean hasEffect =
        effect.isBeforeRun() || effect.writeConcernError != null && WRITES.contains(name);
    if (!hasEffect || !isMeant(request, name)) {
      return false;
    }
    met++;
    return switch (mode.when) {
      case ALWAYS -> true;
      case TIMES -> met <= mode.count;
      case SKIP -> met > mode.count;
      case CHANCE -> ThreadLocalRandom.current().nextDouble() < mode.chance;
    };
  }

  private boolean isMeant(Request request, String name) {
    if (name.equals(OWN_COMMAND) || target.commands != null && !target.commands.contains(name)) {
      return false;
    }
    String application = request.connection().applicationName();
    if (target.application != null && !target.application.equals(application)) {
      return false;
    }
    return target.namespace == null || target.namespace.equals(namespace(request));
  }

  /** {@code database.collection}, as far as the request names them. */
  private static String namespace(Request request) {
    RawDocument body = request.body();
    RawValue database = body.field("$db");
    String field = request.commandName().equals("getMore") ? "collection" : request.commandName();
    RawValue collection = body.field(field);
    return text(database) + "." + text(collection);
  }

  private static String text(@Nullable RawValue value) {
    return value != null && value.type() == RawTypes.STRING ? value.asString() : "";
  }
}
