package dev.orrery.server;

import dev.orrery.server.command.diagnostic.RecentLog;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A host that tells somebody else, too, which part of the server has ended. */
final class WatchedHost implements Host {
  private final Host host;
  private volatile Consumer<String> listener = part -> {};
  private volatile @Nullable String ended;

  WatchedHost(Host host) {
    this.host = host;
  }

  /** Tells of what ends, and of what has ended already. */
  void tell(Consumer<String> newListener) {
    listener = newListener;
    String part = ended;
    if (part != null) {
      newListener.accept(part);
    }
  }

  @Override
  public void stop() {
    host.stop();
  }

  @Override
  public Runnable followLog(RecentLog log) {
    return host.followLog(log);
  }

  @Override
  public void failed(String part, Throwable cause) {
    ended = part;
    listener.accept(part);
    host.failed(part, cause);
  }
}
