package dev.orrery.server.auth;

import com.ibm.icu.text.StringPrep;
import com.ibm.icu.text.StringPrepParseException;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** The two hashes that SCRAM (RFC 5802) is used with, and what MongoDB makes of a password. */
public enum ScramMechanism {
  /** The password goes in as MongoDB's old digest of it: MD5 of {@code user:mongo:password}. */
  SHA_1("SCRAM-SHA-1", "SHA-1", "HmacSHA1", 20, 10_000) {
    @Override
    String prepare(String user, String password) {
      byte[] text = (user + ":mongo:" + password).getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(digest("MD5", text));
    }
  },
  /** The password goes in as it is, after SASLprep (RFC 4013). */
  SHA_256("SCRAM-SHA-256", "SHA-256", "HmacSHA256", 32, 15_000) {
    @Override
    String prepare(String user, String password) {
      try {
        return StringPrep.getInstance(StringPrep.RFC4013_SASLPREP)
            .prepare(password, StringPrep.DEFAULT);
      } catch (StringPrepParseException e) {
        throw new CommandException(
            ErrorCode.BAD_VALUE, "Error preflighting normalization: " + e.getMessage());
      }
    }
  };

  private final String wireName;
  private final String hash;
  private final String mac;
  private final int keyBytes;
  private final int iterations;

  ScramMechanism(String wireName, String hash, String mac, int keyBytes, int iterations) {
    this.wireName = wireName;
    this.hash = hash;
    this.mac = mac;
    this.keyBytes = keyBytes;
    this.iterations = iterations;
  }

  /** What is hashed in place of the password. */
  abstract String prepare(String user, String password);

  public String wireName() {
    return wireName;
  }

  /** The mechanism of that name, or null when there is none. */
  public static @Nullable ScramMechanism find(String name) {
    return Arrays.stream(values())
        .filter(each -> each.wireName.equals(name))
        .findFirst()
        .orElse(null);
  }

  /** As long as the hash's output less the counter of PBKDF2, which is what MongoDB does. */
  int saltBytes() {
    return keyBytes - Integer.BYTES;
  }

  /** The length of the hash's output, and so of a key and a proof. */
  int keyBytes() {
    return keyBytes;
  }

  int iterations() {
    return iterations;
  }

  byte[] hash(byte[] bytes) {
    return digest(hash, bytes);
  }

  byte[] hmac(byte[] key, byte[]... parts) {
    Mac keyed = keyed(key);
    for (byte[] part : parts) {
      keyed.update(part);
    }
    return keyed.doFinal();
  }

  /**
   * PBKDF2 with one block of output, written out because the JDK's takes characters and has its own
   * idea of their encoding.
   */
  byte[] saltedPassword(byte[] password, byte[] salt, int count) {
    Mac keyed = keyed(password);
    keyed.update(salt);
    byte[] block = keyed.doFinal(new byte[] {0, 0, 0, 1});
    byte[] sum = block.clone();
    for (int i = 1; i < count; i++) {
      block = keyed.doFinal(block);
      for (int j = 0; j < sum.length; j++) {
        sum[j] ^= block[j];
      }
    }
    return sum;
  }

  private Mac keyed(byte[] key) {
    try {
      Mac keyed = Mac.getInstance(mac);
      // An empty password is refused before; an empty key would be an error of the JDK.
      keyed.init(new SecretKeySpec(key, mac));
      return keyed;
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every Java platform has " + mac, e);
    }
  }

  private static byte[] digest(String algorithm, byte[] bytes) {
    try {
      return MessageDigest.getInstance(algorithm).digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }
}
