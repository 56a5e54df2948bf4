package dev.orrery.server.transfer.source;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** From the names of collections to those of files in a dump, and back. */
public final class DumpNames {
  private static final String PLAIN = "-_.~$&+=:@"; // besides letters and digits
  private static final int NAME_BYTES_MAX = 238; // 255 with .metadata.json.gz
  private static final int TRUNCATED_BYTES = 208;

  private DumpNames() {}

  /** The name of the file, without its ending; too long a name is cut and gets its hash. */
  public static String file(String collection) {
    var escaped = new StringBuilder();
    for (byte next : collection.getBytes(StandardCharsets.UTF_8)) {
      char character = (char) (next & 0xff);
      boolean isPlain =
          character < 128
              && (Character.isLetterOrDigit(character) || PLAIN.indexOf(character) >= 0);
      if (isPlain) {
        escaped.append(character);
      } else {
        escaped.append("%%%02X".formatted((int) character));
      }
    }
    if (escaped.length() <= NAME_BYTES_MAX) {
      return escaped.toString();
    }
    return escaped.substring(0, TRUNCATED_BYTES) + "%24" + hash(collection);
  }

  private static String hash(String collection) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-1").digest(collection.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  /** The collection, unless its name was cut; the metadata have the whole one. */
  static String collection(String file) {
    var bytes = new ByteArrayOutputStream();
    byte[] text = file.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < text.length; i++) {
      boolean isEscape =
          text[i] == '%'
              && i + 2 < text.length
              && Character.digit(text[i + 1], 16) >= 0
              && Character.digit(text[i + 2], 16) >= 0;
      if (isEscape) {
        bytes.write(Character.digit(text[i + 1], 16) << 4 | Character.digit(text[i + 2], 16));
        i += 2;
      } else {
        bytes.write(text[i]);
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
