package dev.orrery.server.net;

import java.net.InetSocketAddress;
import java.util.concurrent.ScheduledExecutorService;
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
  private final ScheduledExecutorService loop;
  private final Runnable closer;
  private volatile Supplier<String> certificateSubject = () -> null;
  private volatile @Nullable Object attachment;

  /**
   * @param id unique in this server, positive, increasing
   * @param loop runs what belongs to the connection, in order; refuses when it has ended
   * @param closer closes the socket, may be called often and from any thread
   */
  public Connection(
      int id,
      InetSocketAddress remote,
      InetSocketAddress local,
      ScheduledExecutorService loop,
      Runnable closer) {
    this.id = id;
    this.remote = remote;
    this.local = local;
    this.loop = loop;
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

  /** The connection's event loop. */
  public ScheduledExecutorService loop() {
    return loop;
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

  /** What the handler of the requests remembers about this connection; null at first. */
  public @Nullable Object attachment() {
    return attachment;
  }

  public void attach(Object newAttachment) {
    attachment = newAttachment;
  }

  @Override
  public String toString() {
    return "conn" + id;
  }
}
