package dev.orrery.server.net;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One client connection, as commands see it: who it is, and what was said on it. Lives until {@link
 * RequestHandler#closed}. Safe for use by several threads.
 */
public final class Connection {
  private final int id;
  private final InetSocketAddress remote;
  private final InetSocketAddress local;
  private final Runnable closer;
  private volatile Supplier<String> certificateSubject = () -> null;
  private final Map<Attribute<?>, Object> attributes = new ConcurrentHashMap<>(4);

  /**
   * @param id unique in this server, positive, increasing
   * @param closer closes the socket, may be called often and from any thread
   */
  public Connection(int id, InetSocketAddress remote, InetSocketAddress local, Runnable closer) {
    this.id = id;
    this.remote = remote;
    this.local = local;
    this.closer = closer;
  }

  public int id() {
    return id;
  }

  public InetSocketAddress remote() {
    return remote;
  }

  /** The address that the client reached us at. */
  public InetSocketAddress local() {
    return local;
  }

  public void close() {
    closer.run();
  }

  /** The name in the certificate that the client showed and we checked, or null. */
  public @Nullable String certificateSubject() {
    return certificateSubject.get();
  }

  void certificateFrom(Supplier<String> source) {
    certificateSubject = source;
  }

  public <T> Optional<T> find(Attribute<T> attribute) {
    return Optional.ofNullable(attributes.get(attribute)).map(attribute.type()::cast);
  }

  /** What was set before; every request asks for it. */
  <T> T require(Attribute<T> attribute) {
    return attribute.type().cast(attributes.get(attribute));
  }

  public <T> void set(Attribute<T> attribute, T value) {
    attributes.put(attribute, value);
  }

  public void remove(Attribute<?> attribute) {
    attributes.remove(attribute);
  }

  @Override
  public String toString() {
    return "conn" + id;
  }

  /** The name and type of something that a command remembers about a connection. */
  public record Attribute<T>(String name, Class<T> type) {}
}
