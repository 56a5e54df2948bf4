package dev.orrery.server.auth;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of one SCRAM login (RFC 5802): client first, server first, client final, server
 * final. A step that does not fit, or a wrong proof, throws {@link ScramException}; the
 * conversation is over then.
 */
final class ScramConversation {
  /** A first message names a user and a nonce, a last one carries a proof: neither is long. */
  static final int PAYLOAD_BYTES_MAX = 8 * 1024;

  /** A login that failed; the reason is for the log, never for the client. */
  static final class ScramException extends Exception {
    private static final long serialVersionUID = 1L;

    ScramException(String reason) {
      super(reason);
    }
  }

  private final UserName user;
  private final ScramCredential credential;
  private final String gs2Header;
  private final String clientFirstBare;
  private final String nonce;
  private final String serverFirst;

  private ScramConversation(
      UserName user, ScramCredential credential, ScramFirst client, String nonce) {
    this.user = user;
    this.credential = credential;
    this.gs2Header = client.gs2Header();
    this.clientFirstBare = client.bare();
    this.nonce = client.nonce() + nonce;
    this.serverFirst =
        "r=%s,s=%s,i=%d".formatted(this.nonce, encode(credential.salt()), credential.iterations());
  }

  /**
   * Begins a conversation with the client's first message.
   *
   * @param nonce ours, fresh and random
   * @param credentials gives one for every name, known or not
   */
  static ScramConversation start(
      String database,
      byte[] payload,
      String nonce,
      Function<UserName, ScramCredential> credentials)
      throws ScramException {
    ScramFirst client = ScramFirst.parse(text(payload));
    var name = new UserName(client.user(), database);
    return new ScramConversation(name, credentials.apply(name), client, nonce);
  }

  UserName user() {
    return user;
  }

  /** Nonce, salt and iterations, for the client to make its proof with. */
  byte[] serverFirst() {
    return serverFirst.getBytes(StandardCharsets.UTF_8);
  }

  /** Checks the proof, and returns ours: that this server knows the user too. */
  byte[] finish(byte[] payload) throws ScramException {
    String message = text(payload);
    String[] parts = message.split(",", -1);
    if (parts.length < 3) {
      throw new ScramException(
          "Incorrect number of arguments for second SCRAM client message, got %d expected at least 3"
              .formatted(parts.length));
    }
    ScramFirst.requireNoMandatoryExtension(parts);
    byte[] header = decode(value(parts[0], "c="));
    boolean isSameHeader =
        MessageDigest.isEqual(header, gs2Header.getBytes(StandardCharsets.UTF_8));
    if (!isSameHeader || !value(parts[1], "r=").equals(nonce)) {
      throw new ScramException("the last message does not belong to the first");
    }
    for (int i = 2; i < parts.length - 1; i++) {
      ScramFirst.requireExtension(parts[i]);
    }
    String last = parts[parts.length - 1];
    byte[] proof = decode(value(last, "p="));
    int proofAt = message.length() - last.length() - 1;
    byte[] signed =
        (clientFirstBare + "," + serverFirst + "," + message.substring(0, proofAt))
            .getBytes(StandardCharsets.UTF_8);
    if (!isProof(proof, signed)) {
      throw new ScramException("wrong password or unknown user");
    }
    byte[] signature = credential.mechanism().hmac(credential.serverKey(), signed);
    return ("v=" + encode(signature)).getBytes(StandardCharsets.UTF_8);
  }

  private boolean isProof(byte[] proof, byte[] signed) {
    ScramMechanism mechanism = credential.mechanism();
    byte[] clientKey = mechanism.hmac(credential.storedKey(), signed);
    if (proof.length != clientKey.length) {
      return false;
    }
    for (int i = 0; i < proof.length; i++) {
      clientKey[i] ^= proof[i];
    }
    return MessageDigest.isEqual(mechanism.hash(clientKey), credential.storedKey());
  }

  private static String text(byte @Nullable [] payload) throws ScramException {
    if (payload == null || payload.length > PAYLOAD_BYTES_MAX) {
      throw new ScramException("the message is missing or too long");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
    } catch (CharacterCodingException e) {
      throw new ScramException("the message is no UTF-8");
    }
  }

  private static String value(String part, String prefix) throws ScramException {
    if (!part.startsWith(prefix)) {
      throw new ScramException("expected " + prefix);
    }
    return part.substring(prefix.length());
  }

  private static String encode(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  /** The standard wants the padding, which the JDK does without. */
  private static byte[] decode(String base64) throws ScramException {
    try {
      if (base64.length() % 4 != 0) {
        throw new ScramException("that is no base64");
      }
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new ScramException("that is no base64");
    }
  }
}
