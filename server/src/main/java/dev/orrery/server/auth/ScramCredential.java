package dev.orrery.server.auth;

import dev.orrery.language.error.CommandException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * What a server keeps of a password: enough to check a proof, and to prove itself, but neither the
 * password nor anything that can stand in for it at a login.
 */
record ScramCredential(
    ScramMechanism mechanism, int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
  private static final byte[] CLIENT_KEY = "Client Key".getBytes(StandardCharsets.UTF_8);
  private static final byte[] SERVER_KEY = "Server Key".getBytes(StandardCharsets.UTF_8);

  /** Takes some ten milliseconds, on purpose. */
  static ScramCredential derive(
      ScramMechanism mechanism, String user, String password, SecureRandom random) {
    byte[] salt = new byte[mechanism.saltBytes()];
    random.nextBytes(salt);
    byte[] prepared = mechanism.prepare(user, password).getBytes(StandardCharsets.UTF_8);
    byte[] salted = mechanism.saltedPassword(prepared, salt, mechanism.iterations());
    return new ScramCredential(
        mechanism,
        mechanism.iterations(),
        salt,
        mechanism.hash(mechanism.hmac(salted, CLIENT_KEY)),
        mechanism.hmac(salted, SERVER_KEY));
  }

  /** Whether it was made of that password; takes as long as making it. */
  boolean isOf(String user, String password) {
    byte[] prepared;
    try {
      prepared = mechanism.prepare(user, password).getBytes(StandardCharsets.UTF_8);
    } catch (CommandException e) {
      return false; // no password has such characters
    }
    byte[] salted = mechanism.saltedPassword(prepared, salt, iterations);
    byte[] key = mechanism.hash(mechanism.hmac(salted, CLIENT_KEY));
    return MessageDigest.isEqual(key, storedKey);
  }

  /**
   * For a user that does not exist: always the same salt, so that asking twice tells nothing, and
   * keys that no password has. Each mechanism has a salt of its own, as it does for real users.
   */
  static ScramCredential fake(ScramMechanism mechanism, UserName name, byte[] secret) {
    byte[] salt = fakeBytes("salt", mechanism, name, secret);
    return new ScramCredential(
        mechanism,
        mechanism.iterations(),
        Arrays.copyOf(salt, mechanism.saltBytes()),
        Arrays.copyOf(fakeBytes("storedKey", mechanism, name, secret), mechanism.keyBytes()),
        Arrays.copyOf(fakeBytes("serverKey", mechanism, name, secret), mechanism.keyBytes()));
  }

  /** Looks random, and is the same whenever the same is asked for. */
  private static byte[] fakeBytes(
      String what, ScramMechanism mechanism, UserName name, byte[] secret) {
    // No part but the last can hold the separator, so no two questions have the same text.
    String text = what + "\0" + mechanism.wireName() + "\0" + name.id();
    return ScramMechanism.SHA_256.hmac(secret, text.getBytes(StandardCharsets.UTF_8));
  }

  BsonDocument toBson() {
    return new BsonDocument("iterationCount", new BsonInt32(iterations))
        .append("salt", base64(salt))
        .append("storedKey", base64(storedKey))
        .append("serverKey", base64(serverKey));
  }

  static ScramCredential of(ScramMechanism mechanism, BsonDocument document) {
    return new ScramCredential(
        mechanism,
        document.getInt32("iterationCount").getValue(),
        bytes(document, "salt"),
        bytes(document, "storedKey"),
        bytes(document, "serverKey"));
  }

  private static BsonString base64(byte[] bytes) {
    return new BsonString(Base64.getEncoder().encodeToString(bytes));
  }

  private static byte[] bytes(BsonDocument document, String name) {
    return Base64.getDecoder().decode(document.getString(name).getValue());
  }
}
