package dev.orrery.server.auth;

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
      UserName user, ScramCredential credential, ClientFirst client, String nonce) {
    this.user = user;
    this.credential = credential;
    this.gs2Header = client.gs2Header;
    this.clientFirstBare = client.bare;
    this.nonce = client.nonce + nonce;
    this.serverFirst =
        "r=%s,s=%s,i=%d".formatted(this.nonce, encode(credential.salt()), credential.iterations());
  }

  /** The parts of {@code n,,n=user,r=nonce}. */
  private record ClientFirst(String gs2Header, String bare, String user, String nonce) {
    static ClientFirst parse(String message) throws ScramException {
      String[] parts = message.split(",", 4);
      boolean isComplete = parts.length == 4;
      // Channel binding is not offered, so a client may only lack it (n) or miss it with us (y).
      if (!isComplete || !(parts[0].equals("n") || parts[0].equals("y"))) {
        throw new ScramException("the first message has no header of ours");
      }
      if (!parts[1].isEmpty()) {
        throw new ScramException("nobody may act for somebody else");
      }
      String gs2Header = parts[0] + ",,";
      String user = unescape(value(parts[2], "n="));
      // Extensions may follow the nonce, and are part of what is signed.
      String nonce = value(parts[3].split(",", 2)[0], "r=");
      if (nonce.isEmpty()) {
        throw new ScramException("the client gave no nonce");
      }
      return new ClientFirst(gs2Header, message.substring(gs2Header.length()), user, nonce);
    }

    private static String unescape(String name) throws ScramException {
      if (name.replace("=2C", "").replace("=3D", "").indexOf('=') >= 0) {
        throw new ScramException("the user name is not escaped");
      }
      return name.replace("=2C", ",").replace("=3D", "=");
    }
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
    ClientFirst client = ClientFirst.parse(text(payload));
    var name = new UserName(client.user, database);
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
    int proofAt = message.lastIndexOf(",p=");
    String[] parts = message.split(",");
    if (proofAt < 0 || parts.length < 3) {
      throw new ScramException("the last message has no proof");
    }
    byte[] header = decode(value(parts[0], "c="));
    boolean isSameHeader =
        MessageDigest.isEqual(header, gs2Header.getBytes(StandardCharsets.UTF_8));
    if (!isSameHeader || !value(parts[1], "r=").equals(nonce)) {
      throw new ScramException("the last message does not belong to the first");
    }
    byte[] signed =
        (clientFirstBare + "," + serverFirst + "," + message.substring(0, proofAt))
            .getBytes(StandardCharsets.UTF_8);
    if (!isProof(decode(message.substring(proofAt + ",p=".length())), signed)) {
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
    return new String(payload, StandardCharsets.UTF_8);
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

  private static byte[] decode(String base64) throws ScramException {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new ScramException("that is no base64");
    }
  }
}
