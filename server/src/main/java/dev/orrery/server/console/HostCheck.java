package dev.orrery.server.console;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which names browsers may call this server by. A page of somebody else can give its own name our
 * address (DNS rebinding) and read what we answer as its own; the name in the Host header is then
 * still that of the page. An address is nobody's name, so any is let through.
 */
final class HostCheck {
  private static final Pattern IP4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
  private static final Pattern IP6 = Pattern.compile("\\[[0-9a-f:.%]+]");
  private static final Pattern PORT = Pattern.compile(":\\d{1,5}$");

  private final Set<String> names;

  /**
   * @param names beside localhost, in lower case
   */
  HostCheck(Set<String> names) {
    this.names = Set.copyOf(names);
  }

  boolean allows(@Nullable String header) {
    if (header == null) {
      return false;
    }
    String host = name(header);
    return host.equals("localhost")
        || host.endsWith(".localhost")
        || IP4.matcher(host).matches()
        || IP6.matcher(host).matches()
        || names.contains(host);
  }

  /** Whether a page of that origin is one of ours, as asked for by that name. */
  static boolean isSame(String origin, @Nullable String header) {
    int scheme = origin.indexOf("://");
    return header != null
        && scheme > 0
        && origin.substring(scheme + 3).equalsIgnoreCase(header.strip());
  }

  private static String name(String header) {
    return PORT.matcher(header.strip().toLowerCase(Locale.ROOT)).replaceFirst("");
  }
}
