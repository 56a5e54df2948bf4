package dev.orrery.server.command;

import dev.orrery.server.throughput.RequestCharge;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import org.jspecify.annotations.Nullable;

/**
 * What commands know and remember of one client connection. One request is in flight per
 * connection, so the state needs visibility between threads, not locks.
 */
public final class ClientConnection {
  private final long id;
  private final String remoteAddress;
  private final String localAddress;
  private volatile RawDocument clientMetadata;
  private volatile @Nullable String applicationName;
  private volatile @Nullable LastRequest lastRequest;
  private volatile boolean isClosing;

  /** What {@code getLastRequestStatistics} tells. */
  record LastRequest(String commandName, RequestCharge charge, long nanos) {}

  /** Addresses as {@code host:port}. */
  public ClientConnection(long id, String remoteAddress, String localAddress) {
    this.id = id;
    this.remoteAddress = remoteAddress;
    this.localAddress = localAddress;
  }

  public long id() {
    return id;
  }

  /** Where the client is. */
  public String remoteAddress() {
    return remoteAddress;
  }

  /** The address of ours that the client reached. */
  public String localAddress() {
    return localAddress;
  }

  /** The {@code client} document of the first hello, or null before it. */
  public RawDocument clientMetadata() {
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

  /** What the client calls itself, or null. */
  public @Nullable String applicationName() {
    return applicationName;
  }

  /** The last request that cost anything, or null. */
  @Nullable LastRequest lastRequest() {
    return lastRequest;
  }

  void remember(LastRequest request) {
    lastRequest = request;
  }

  /** Whether the connection is to be closed after the reply in progress. */
  public boolean isClosing() {
    return isClosing;
  }

  public void closeAfterReply() {
    isClosing = true;
  }
}
