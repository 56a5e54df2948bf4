package dev.orrery.server.command;

import dev.orrery.server.auth.Login;
import dev.orrery.server.auth.Logins;
import dev.orrery.server.operation.Client;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.throughput.RequestCharge;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What commands know and remember of one client connection. One request is in flight per
 * connection, so the state needs visibility between threads, not locks.
 */
public final class ClientConnection implements Client {
  private final long id;
  private final String remoteAddress;
  private final String localAddress;
  private volatile RawDocument clientMetadata;
  private volatile @Nullable String applicationName;
  private volatile boolean isClosing;
  private volatile boolean isGone;
  private final AtomicReference<Operation> operation = new AtomicReference<>();
  private final AtomicReference<LastRequest> lastRequest = new AtomicReference<>();

  private final Login login;
  private final Supplier<String> certificateSubject;
  private @Nullable ScheduledExecutorService loop;
  private Runnable closer = this::closeAfterReply;

  /** What {@code getLastRequestStatistics} tells. */
  public record LastRequest(String commandName, RequestCharge charge, long nanos) {}

  /** Addresses as {@code host:port}. */
  public ClientConnection(long id, String remoteAddress, String localAddress) {
    this(id, remoteAddress, localAddress, () -> null);
  }

  /**
   * @param certificateSubject gives the name in the client's certificate, or null without one
   */
  public ClientConnection(
      long id, String remoteAddress, String localAddress, Supplier<String> certificateSubject) {
    this(id, remoteAddress, localAddress, certificateSubject, new Login());
  }

  /**
   * @param login what others know of whoever is at the other end, too
   */
  public ClientConnection(
      long id,
      String remoteAddress,
      String localAddress,
      Supplier<String> certificateSubject,
      Login login) {
    this.id = id;
    this.login = login;
    this.remoteAddress = remoteAddress;
    this.localAddress = localAddress;
    this.certificateSubject = certificateSubject;
  }

  /**
   * Says where the connection lives; to be called before its first request.
   *
   * @param eventLoop runs what belongs to the connection, in order
   * @param close closes it, from any thread
   */
  public ClientConnection livingOn(ScheduledExecutorService eventLoop, Runnable close) {
    loop = eventLoop;
    closer = close;
    return this;
  }

  /** Says what to do when a request gets no reply, for a connection without a socket. */
  public ClientConnection closingBy(Runnable close) {
    closer = close;
    return this;
  }

  /** Goes on with a request where its connection lives; {@code otherwise} without a socket. */
  void resume(Runnable next, Executor otherwise) {
    try {
      (loop == null ? otherwise : loop).execute(next);
    } catch (RejectedExecutionException stopped) {
      hangUp(); // the server stops, and its loops have ended
    }
  }

  /**
   * Does something later where the connection lives, to be cancelled by the result; null when it
   * has no socket, or the server stops.
   */
  public @Nullable Future<?> after(long millis, Runnable next) {
    try {
      return loop == null ? null : loop.schedule(next, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException stopped) {
      return null;
    }
  }

  /** Closes the connection, as the request in flight can get no reply. */
  void hangUp() {
    closer.run();
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public String remoteAddress() {
    return remoteAddress;
  }

  /** The address of ours that the client reached. */
  public String localAddress() {
    return localAddress;
  }

  @Override
  public @Nullable RawDocument clientMetadata() {
    return clientMetadata;
  }

  public void introduce(RawDocument metadata) {
    clientMetadata = metadata.compact();
    RawValue application = metadata.field("application");
    RawValue name =
        application != null && application.isDocument()
            ? application.asDocument().field("name")
            : null;
    applicationName = name != null && name.type() == RawTypes.STRING ? name.asString() : null;
  }

  @Override
  public Object clientKey() {
    RawDocument metadata = clientMetadata;
    return metadata == null ? this : List.of(remoteHost(), ByteBuffer.wrap(metadata.toByteArray()));
  }

  @Override
  public @Nullable String applicationName() {
    return applicationName;
  }

  @Override
  public @Nullable Operation operation() {
    return operation.get();
  }

  /** Shows the request to others; they may see it a moment later. */
  void begin(Operation started) {
    operation.setRelease(started);
  }

  void end() {
    operation.setRelease(null);
  }

  /** The last request that cost anything, or null. */
  public @Nullable LastRequest lastRequest() {
    return lastRequest.get();
  }

  public void remember(LastRequest request) {
    lastRequest.setRelease(request); // nobody asks before the reply, and that is later
  }

  /** Whether the connection is to be closed after the reply in progress. */
  public boolean isClosing() {
    return isClosing;
  }

  public void closeAfterReply() {
    isClosing = true;
  }

  /** Says that the client is gone. */
  void leave() {
    isGone = true;
  }

  /** Whether the client is still there. */
  public boolean isOpen() {
    return !isGone;
  }

  @Override
  public Login login() {
    return login;
  }

  /** A login that is about to be tried on this connection. */
  public Logins.Attempt loginAttempt() {
    return new Logins.Attempt(login, remoteHost(), host(localAddress));
  }

  /** The name in the client's certificate, which was checked, or null without one. */
  public String certificateSubject() {
    return certificateSubject.get();
  }

  /** Whether the client runs on this machine. */
  public boolean isLocal() {
    String host = remoteHost();
    return host.startsWith("127.") || host.equals("[::1]") || host.equals("[0:0:0:0:0:0:0:1]");
  }

  private String remoteHost() {
    return host(remoteAddress);
  }

  private static String host(String address) {
    return address.substring(0, Math.max(0, address.lastIndexOf(':')));
  }
}
