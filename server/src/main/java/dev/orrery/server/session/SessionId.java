package dev.orrery.server.session;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonDocument;

/** Which session: the client's {@code lsid}, and the user it belongs to (empty when none). */
public record SessionId(UUID id, String owner) {
  /** As MongoDB shows it: {@code uid} is the hash of the owner's name. */
  public BsonDocument toBson() {
    return new BsonDocument("id", new BsonBinary(id)).append("uid", new BsonBinary(digest()));
  }

  /** As MongoDB writes it in messages: the owner's hash, and two parts that are empty here. */
  public String text() {
    return id + " - " + Base64.getEncoder().encodeToString(digest()) + " -  - ";
  }

  private byte[] digest() {
    try {
      return MessageDigest.getInstance("SHA-256").digest(owner.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
