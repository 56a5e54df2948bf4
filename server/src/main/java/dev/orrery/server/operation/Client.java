package dev.orrery.server.operation;

import dev.orrery.server.auth.Login;
import dev.orrery.value.RawDocument;
import org.jspecify.annotations.Nullable;

/** One connection of a client, as those see it who look after the server. */
public interface Client {
  long id();

  /** Where the client is, as {@code host:port}. */
  String remoteAddress();

  /** What the client calls itself, or null. */
  @Nullable String applicationName();

  /** What the client told of itself in its first hello, or null before it. */
  @Nullable RawDocument clientMetadata();

  /**
   * The same for all connections of one program on one machine, as far as they can be told apart:
   * by what they say of themselves.
   */
  default Object clientKey() {
    return this;
  }

  /** Among whom the server divides its threads: users, and addresses of those who are nobody. */
  default Object owner() {
    String user = login().owner();
    String address = remoteAddress();
    return user.isEmpty() ? address.substring(0, address.lastIndexOf(':') + 1) : user;
  }

  /** Who the client is. */
  Login login();

  /** The request that is being worked on, or null. */
  @Nullable Operation operation();
}
