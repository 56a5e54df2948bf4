package dev.orrery.server.net;

import dev.orrery.lane.Lane;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS, alone or beside plain connections on the same port. Files that change are read again; new
 * connections get the new certificate, those that are open keep the old one.
 */
public final class TlsTransport implements TransportSecurity, AutoCloseable {
  static final String HANDLER = "tls";

  private static final Logger LOG = LoggerFactory.getLogger(TlsTransport.class);
  private static final long POLL_SECONDS = 10;

  private final Files files;
  private final boolean isOnly;
  private final ScheduledExecutorService poll;
  private volatile SslContext context;
  private List<FileTime> times;

  /**
   * PEM files.
   *
   * @param authority who signs certificates of clients; null when they need none
   */
  public record Files(Path certificate, Path key, @Nullable Path authority) {
    public Files withAuthority(@Nullable Path file) {
      return new Files(certificate, key, file);
    }

    private List<FileTime> times() throws IOException {
      var times = new ArrayList<FileTime>();
      times.add(java.nio.file.Files.getLastModifiedTime(certificate));
      times.add(java.nio.file.Files.getLastModifiedTime(key));
      if (authority != null) {
        times.add(java.nio.file.Files.getLastModifiedTime(authority));
      }
      return times;
    }

    private SslContext load() throws IOException {
      try {
        var builder =
            SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                .sslProvider(SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2");
        if (authority != null) {
          // Those without a certificate come in as well, and log in with a password.
          builder.trustManager(authority.toFile()).clientAuth(ClientAuth.OPTIONAL);
        }
        return builder.build();
      } catch (IllegalArgumentException e) {
        throw new IOException(
            "cannot use %s with %s: %s".formatted(certificate, key, e.getMessage()), e);
      }
    }
  }

  private TlsTransport(Files files, boolean isOnly) throws IOException {
    this.files = files;
    this.isOnly = isOnly;
    this.times = files.times();
    this.context = files.load();
    this.poll =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = Lane.BACKGROUND.thread("tls-files", task);
              thread.setDaemon(true);
              return thread;
            });
    poll.scheduleWithFixedDelay(
        this::reloadIfChanged, POLL_SECONDS, POLL_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Reads the files, and looks at them again from time to time.
   *
   * @param isOnly whether connections without TLS are refused
   * @throws IOException if they cannot be used
   */
  public static TlsTransport open(Files files, boolean isOnly) throws IOException {
    return new TlsTransport(files, isOnly);
  }

  @Override
  public void install(ChannelPipeline pipeline) {
    if (isOnly) {
      pipeline.addLast(HANDLER, context.newHandler(pipeline.channel().alloc()));
    } else {
      pipeline.addLast(new TlsSniffer(() -> context));
    }
  }

  /** What new connections get. */
  SslContext context() {
    return context;
  }

  /** Reads the files if one is newer; what cannot be used changes nothing. */
  synchronized void reloadIfChanged() {
    try {
      List<FileTime> found = files.times();
      if (!found.equals(times)) {
        context = files.load();
        times = found;
        LOG.info("the certificate {} was read again", files.certificate());
      }
    } catch (IOException | RuntimeException | Error e) { // or nobody would look again
      LOG.warn("the old certificate stays in use: {}", e.toString());
    }
  }

  /** The name in the certificate of the client, as RFC 2253 writes it; null without one. */
  static @Nullable String peerSubject(ChannelPipeline pipeline) {
    var handler = pipeline.get(SslHandler.class);
    if (handler == null) {
      return null;
    }
    try {
      var principal = handler.engine().getSession().getPeerPrincipal();
      return principal instanceof X500Principal subject
          ? subject.getName(X500Principal.RFC2253)
          : null;
    } catch (SSLPeerUnverifiedException none) {
      return null;
    }
  }

  @Override
  public void close() {
    poll.shutdownNow();
  }
}
