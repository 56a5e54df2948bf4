package dev.orrery.server.auth;

import dev.orrery.server.auth.ScramConversation.ScramException;

/**
 * The client's first message of a SCRAM login (RFC 5802, section 7): {@code n,,n=user,r=nonce}.
 *
 * @param gs2Header what the client's last message must repeat: {@code n,,}
 * @param bare the rest, which is signed
 */
record ScramFirst(String gs2Header, String bare, String user, String nonce) {
  /** The attributes that the standard defines; case counts. */
  private static final String TAKEN = "aceimnprsv";

  static ScramFirst parse(String message) throws ScramException {
    String[] header = message.split(",", 3);
    if (header.length < 3) {
      throw wrongCount(header.length);
    }
    requireNoBinding(header[0]);
    String bare = header[2];
    String[] parts = bare.split(",", -1);
    requireNoMandatoryExtension(parts);
    if (parts.length < 2) {
      throw wrongCount(parts.length + 2);
    }
    String user = name(parts[0]);
    requireSameUser(header[1], user);
    String nonce = nonce(parts[1]);
    for (int i = 2; i < parts.length; i++) {
      requireExtension(parts[i]);
    }
    return new ScramFirst(header[0] + "," + header[1] + ",", bare, user, nonce);
  }

  private static ScramException wrongCount(int parts) {
    return new ScramException(
        "Incorrect number of arguments for first SCRAM client message, got %d expected at least 3"
            .formatted(parts));
  }

  /** Binding is not offered, so a client may only lack it (n) or miss it with us (y). */
  private static void requireNoBinding(String flag) throws ScramException {
    if (flag.startsWith("p=")) {
      throw new ScramException("Server does not support channel binding");
    }
    if (!flag.equals("n") && !flag.equals("y")) {
      throw new ScramException("Incorrect SCRAM client message prefix: " + flag);
    }
  }

  /**
   * A client that sends {@code m=} wants to be refused by who does not know what it means, which is
   * everybody today: the standard reserves it, wherever it stands.
   */
  static void requireNoMandatoryExtension(String[] parts) throws ScramException {
    for (String part : parts) {
      if (part.startsWith("m=")) {
        throw new ScramException("SCRAM mandatory extensions are not supported");
      }
    }
  }

  private static String name(String part) throws ScramException {
    if (!part.startsWith("n=") || part.length() < 3) {
      throw new ScramException("Invalid SCRAM user name: " + part);
    }
    return unescape(part.substring(2));
  }

  /** Nobody acts for somebody else, but all may say that they act for themselves. */
  private static void requireSameUser(String authzid, String user) throws ScramException {
    if (authzid.isEmpty()) {
      return;
    }
    if (!authzid.startsWith("a=")) {
      throw new ScramException("Incorrect SCRAM authzid: " + authzid);
    }
    if (!unescape(authzid.substring(2)).equals(user)) {
      throw new ScramException(
          "SCRAM user name %s does not match authzid %s".formatted(user, authzid.substring(2)));
    }
  }

  private static String nonce(String part) throws ScramException {
    if (!part.startsWith("r=") || part.length() < 3) {
      throw new ScramException("Invalid SCRAM client nonce: " + part);
    }
    String nonce = part.substring(2);
    if (!nonce.chars().allMatch(c -> c > ' ' && c <= '~')) { // a comma ended it
      throw new ScramException("Invalid SCRAM client nonce: " + part);
    }
    return nonce;
  }

  /**
   * An extension, {@code x=value}: what it means is for those who know it. The letters that the
   * standard gives a meaning have their own places, and cannot be extensions, so none comes twice.
   */
  static void requireExtension(String part) throws ScramException {
    boolean isNamed = part.length() > 2 && part.charAt(1) == '=';
    char letter = isNamed ? part.charAt(0) : 0;
    boolean isLetter = letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z';
    if (!isLetter || TAKEN.indexOf(letter) >= 0 || part.indexOf('\0') >= 0) {
      throw new ScramException("Invalid SCRAM attribute: " + part);
    }
  }

  /** {@code =2C} is a comma and {@code =3D} an equals sign; nothing else begins with one. */
  private static String unescape(String name) throws ScramException {
    var plain = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '=' && name.startsWith("2C", i + 1)) {
        plain.append(',');
        i += 2;
      } else if (c == '=' && name.startsWith("3D", i + 1)) {
        plain.append('=');
        i += 2;
      } else if (c == '=' || c == '\0') {
        throw new ScramException("Invalid SCRAM user name: n=" + name);
      } else {
        plain.append(c);
      }
    }
    return plain.toString();
  }
}
