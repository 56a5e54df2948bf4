package dev.orrery.server.session;

/** One logical session of a client: alive as long as it is used, or refreshed, now and then. */
public final class Session {
  private final SessionId id;
  private volatile long lastUseMillis;

  Session(SessionId id, long nowMillis) {
    this.id = id;
    this.lastUseMillis = nowMillis;
  }

  public SessionId id() {
    return id;
  }

  public long lastUseMillis() {
    return lastUseMillis;
  }

  void touch(long nowMillis) {
    lastUseMillis = nowMillis;
  }
}
