package dev.orrery.server.auth;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Addresses with a common beginning: {@code 10.0.0.0/8}, {@code ::1}. Names are none. */
record AddressRange(String text, byte[] address, int bits) {
  private static final String NUMERIC = "[0-9a-fA-F:.]+";

  static AddressRange parse(String text) {
    int slash = text.indexOf('/');
    byte[] address = bytes(slash < 0 ? text : text.substring(0, slash));
    String length = slash < 0 ? "" : text.substring(slash + 1);
    boolean isLength = slash < 0 || length.matches("[0-9]{1,3}");
    int all = address == null ? 0 : address.length * Byte.SIZE;
    int bits = slash < 0 || !isLength ? all : Integer.parseInt(length);
    if (address == null || !isLength || bits > all) {
      throw new CommandException(
          ErrorCode.UNSUPPORTED_FORMAT, "Invalid IP address in CIDR string: " + text);
    }
    return new AddressRange(text, address, bits);
  }

  /** The bytes of an address in numbers, or null; nothing is looked up. */
  private static byte[] bytes(String host) {
    String plain = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    if (!plain.matches(NUMERIC) || plain.indexOf('.') < 0 && plain.indexOf(':') < 0) {
      return null;
    }
    try {
      return InetAddress.getByName(plain).getAddress();
    } catch (UnknownHostException e) {
      return null;
    }
  }

  boolean contains(String host) {
    byte[] other = bytes(host);
    if (other == null || other.length != address.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      int mask = 0x80 >> bit % Byte.SIZE;
      if (((address[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }
}
