package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.throughput.Throughput;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/** Throughput as {@code customAction} asks for it and tells it. */
final class Offer {
  private Offer() {}

  /** What {@code offerThroughput} or {@code autoScaleSettings} ask for; none without them. */
  static Throughput parse(CommandReader body) {
    boolean isManual = body.has("offerThroughput");
    long manual = body.int64("offerThroughput", 0);
    boolean isAutoscale = body.has("autoScaleSettings");
    CommandReader settings = body.object("autoScaleSettings");
    long most = 0;
    if (settings != null) {
      most = settings.int64("maxThroughput", 0);
      settings.finish();
    }
    if (isManual && isAutoscale) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "offerThroughput and autoScaleSettings cannot be specified together");
    }
    if (isManual) {
      return Throughput.manual(manual);
    }
    return isAutoscale ? Throughput.autoscale(most) : Throughput.NONE;
  }

  /** Refuses an update without an offer. */
  static void requireGiven(Throughput asked) {
    if (!asked.isProvisioned()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "offerThroughput or autoScaleSettings must be specified");
    }
  }

  /**
   * Adds the fields of an offer; nothing when there is none.
   *
   * @param now what it stands at
   */
  static void append(BsonDocument reply, Throughput offer, long now) {
    if (!offer.isProvisioned()) {
      return;
    }
    reply.append("provisionedThroughput", number(now));
    if (offer.isAutoscale()) {
      reply.append(
          "autoScaleSettings", new BsonDocument("maxThroughput", number(offer.unitsPerSecond())));
    }
  }

  private static BsonValue number(long units) {
    return new BsonInt32(Math.toIntExact(units));
  }
}
