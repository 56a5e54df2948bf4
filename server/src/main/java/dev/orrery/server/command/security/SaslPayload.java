package dev.orrery.server.command.security;

import dev.orrery.server.auth.Logins;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Base64;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** The messages of a login as commands carry them. */
public final class SaslPayload {
  private SaslPayload() {}

  /** The bytes, which old clients send as base64; empty when they are missing or wrong. */
  static byte[] read(CommandReader body) {
    RawValue value = body.value("payload");
    if (value == null) {
      return new byte[0];
    }
    if (value.type() == RawTypes.BINARY) {
      return value.toBsonValue().asBinary().getData();
    }
    if (value.type() != RawTypes.STRING) {
      throw FieldErrors.wrongType(body.pathOf("payload"), value.type(), "binData");
    }
    try {
      return Base64.getDecoder().decode(value.asString());
    } catch (IllegalArgumentException e) {
      return new byte[0]; // fails as any other wrong message does
    }
  }

  /** The first message of a login, as in saslStart and inside of hello. */
  public static Logins.Start start(CommandReader body, String database) {
    String mechanism = body.requireString("mechanism");
    byte[] payload = read(body);
    CommandReader options = body.object("options");
    boolean skipsEmptyExchange = false;
    if (options != null) {
      skipsEmptyExchange = options.bool("skipEmptyExchange", false);
      options.finish();
    }
    body.ignore("autoAuthorize");
    return new Logins.Start(database, mechanism, payload, skipsEmptyExchange);
  }

  public static BsonDocument reply(Logins.Step step) {
    return new BsonDocument("conversationId", new BsonInt32(step.conversationId()))
        .append("done", BsonBoolean.valueOf(step.isDone()))
        .append("payload", new BsonBinary(step.payload()));
  }
}
