package dev.orrery.server;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.console.ConsoleServer;
import dev.orrery.server.console.Health;
import dev.orrery.server.console.Pages;
import dev.orrery.server.net.NetServer;
import dev.orrery.server.net.RequestHandler;
import dev.orrery.server.net.SelfSignedCertificate;
import dev.orrery.server.net.TlsTransport;
import dev.orrery.server.net.TransportSecurity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server that runs: its data directory, what answers requests, its sockets. */
public final class MongoServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MongoServer.class);

  private static final int CONSOLE_PORT = 8081;
  private static final String LOOPBACK = "127.0.0.1";

  /** What was opened, the last first. */
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  private final Health health = new Health();
  private NetServer net;
  private @Nullable ConsoleServer console;

  private MongoServer() {}

  /** What stands behind the sockets. */
  public interface Backend extends AutoCloseable {
    /** Answers until {@link #close}, which is called when the last connection is gone. */
    RequestHandler requests();

    /** What requests, cursors and messages may take of the heap together. */
    MemoryBudget memory();

    @Override
    void close() throws IOException;

    /** A part of the server has ended without which it is only half alive. */
    default void failed(String part, Throwable cause) {}

    /** Tells somebody of each part that ends so. */
    default void onFailure(Consumer<String> listener) {}

    /** Why clients would be refused what they want; empty when they would not. */
    default List<String> hindrances() {
      return List.of();
    }

    /**
     * What the console shows; null when there is none.
     *
     * @param port where drivers connect
     */
    default @Nullable Pages console(int port) {
      return null;
    }

    /** Opens the storage engine and builds the commands on it. */
    @FunctionalInterface
    interface Factory {
      Backend open(ServerConfig config, DataDirectory data) throws IOException;
    }
  }

  /**
   * Opens everything; clients are served when this returns.
   *
   * @throws IOException if a part cannot be opened; the others are closed again
   */
  public static MongoServer start(ServerConfig config, Backend.Factory backends)
      throws IOException {
    var server = new MongoServer();
    try {
      server.open(config, backends);
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Where clients reach this server. */
  public InetSocketAddress address() {
    return net.address();
  }

  /** Where browsers reach the console; null when it is off. */
  public @Nullable InetSocketAddress consoleAddress() {
    return console == null ? null : console.address();
  }

  /** How often an event loop stood still for longer than is bearable. */
  long stalls() {
    return net.stalls();
  }

  /** Lets requests in flight end, then closes all parts, also when one of them fails to. */
  @Override
  public void close() {
    if (console != null) {
      console.hide(); // before the parts go that it shows; /readyz is answered to the end
    }
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        LOG.error("a part of the server could not be closed", e);
      }
    }
  }

  private void open(ServerConfig config, Backend.Factory backends) throws IOException {
    requireSecure(config);
    var data = DataDirectory.open(config.storage());
    parts.push(data);
    TransportSecurity security = transport(config, data.path());
    openConsole(config, security);
    var backend = backends.open(config, data);
    parts.push(backend);
    backend.onFailure(health::failed);
    var network = config.network();
    var options =
        new NetServer.Options(
            network.bind(),
            network.port(),
            network.eventLoops(),
            network.connectionsMax(),
            new NetServer.Shared(security, backend.memory()));
    net =
        NetServer.start(
            options, backend.requests(), cause -> backend.failed("an event loop", cause));
    parts.push(net);
    Pages pages = backend.console(net.address().getPort());
    if (console != null && pages != null) {
      console.show(pages, backend.memory());
    }
    health.serves(backend::hindrances);
  }

  /** The first to listen and the last to stop, for those who ask whether the server is ready. */
  private void openConsole(ServerConfig config, TransportSecurity security) throws IOException {
    ServerConfig.Diagnostics diagnostics = config.diagnostics();
    if (diagnostics.consolePort().isEmpty()) {
      return;
    }
    int port = diagnostics.consolePort().getAsInt();
    // Several servers on one machine should start without anybody having to think of this port.
    List<Integer> ports = port == CONSOLE_PORT ? List.of(port, 0) : List.of(port);
    String bind = config.network().bind();
    boolean isLocal = InetAddress.getByName(bind).isLoopbackAddress();
    boolean needsLogin = config.access().needsLogin();
    console =
        ConsoleServer.start(
            new ConsoleServer.Options(
                isLocal || needsLogin ? bind : LOOPBACK,
                ports,
                diagnostics.consoleHosts(),
                needsLogin,
                security),
            health);
    parts.push(console);
  }

  /** Strangers on other machines get in only where somebody wants it so. */
  private static void requireSecure(ServerConfig config) throws IOException {
    String bind = config.network().bind();
    boolean isGuarded = config.access().needsLogin() || config.access().isInsecure();
    if (!isGuarded && !InetAddress.getByName(bind).isLoopbackAddress()) {
      throw new ConfigException(
          ("bind is '%s', which other machines can reach: give --auth to let in users only, or"
                  + " --insecure to let in everybody")
              .formatted(bind));
    }
  }

  private static TlsTransport.Files ownFiles(ServerConfig config, Path data) throws IOException {
    Path certificate = ownCertificate(data);
    var files =
        SelfSignedCertificate.in(
            certificate.getParent(), config.network().bind(), Clock.systemUTC());
    LOG.warn(
        "clients can trust the certificate {}, which `orrery certificate` prints",
        certificate.toAbsolutePath());
    return files;
  }

  /** Where the certificate is that a server without another one makes for itself. */
  static Path ownCertificate(Path data) {
    return data.resolve("tls").resolve("server.crt");
  }

  private TransportSecurity transport(ServerConfig config, Path data) throws IOException {
    ServerConfig.Tls tls = config.access().tls();
    if (tls == null) {
      return TransportSecurity.NONE;
    }
    var files =
        tls.certificate() == null
            ? ownFiles(config, data)
            : new TlsTransport.Files(tls.certificate(), tls.key(), null);
    var transport = TlsTransport.open(files.withAuthority(tls.authority()), tls.isOnly());
    parts.push(transport);
    return transport;
  }
}
