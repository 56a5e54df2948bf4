package dev.orrery.server;

import dev.orrery.lane.Lane;
import dev.orrery.server.ledger.Ledgers;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.engine.EngineOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A server in a process that has other things to do: on any free port and with a temporary store
 * unless it is told otherwise. It ends no process, sets no property, and leaves nothing behind.
 */
public final class EmbeddedServer implements AutoCloseable {
  private final MongoServer server;
  private final EngineBackend backend;
  private final ServerConfig config;

  private EmbeddedServer(MongoServer server, EngineBackend backend, ServerConfig config) {
    this.server = server;
    this.backend = backend;
    this.config = config;
  }

  /** How the store of an embedded server is kept. */
  public enum Keys {
    /** In maps outside of the heap, which need flags of the Java virtual machine. */
    MAPPED,
    /** On the heap, however many there are; needs no flags. */
    ON_HEAP
  }

  /**
   * Starts a server; it serves when this returns.
   *
   * @param arguments those of the command line, which go before the environment
   * @throws ConfigException if they make no sense
   */
  public static EmbeddedServer start(
      Keys keys, Map<String, String> environment, List<String> arguments) throws IOException {
    return start(keys, config(environment, arguments));
  }

  static ServerConfig config(Map<String, String> environment, List<String> arguments) {
    var all = new ArrayList<>(arguments);
    addUnlessGiven(all, "--port", "--port=0");
    addUnlessGiven(all, "--console-port", "--console-port=off");
    if (arguments.stream().noneMatch(each -> each.startsWith("--data"))) {
      addUnlessGiven(all, "--ephemeral", "--ephemeral");
    }
    var parser = new CommandLineParser(Version.current(), System.err);
    return CommandLineParser.config(parser.parse(all.toArray(String[]::new)), environment);
  }

  private static void addUnlessGiven(List<String> arguments, String name, String argument) {
    boolean isGiven =
        arguments.stream().anyMatch(each -> each.equals(name) || each.startsWith(name + "="));
    if (!isGiven) {
      arguments.add(argument);
    }
  }

  static EmbeddedServer start(Keys keys, ServerConfig config) throws IOException {
    var backends = new EngineBackend[1];
    var servers = new MongoServer[1];
    Host host = () -> Lane.BACKGROUND.thread("stop", () -> servers[0].close()).start();
    EngineBackend.EngineOpener opener =
        (directory, options, hooks) ->
            ChronicleEngine.open(
                directory,
                keys == Keys.ON_HEAP ? options.with(EngineOptions.Maps.ON_HEAP) : options,
                hooks);
    servers[0] =
        MongoServer.start(
            config,
            (settings, data) -> {
              backends[0] = EngineBackend.open(settings, data, host, opener);
              return backends[0];
            });
    return new EmbeddedServer(servers[0], backends[0], config);
  }

  /** What a client on this machine connects to. */
  public String uri() {
    return Main.uri(server.address(), config);
  }

  public InetSocketAddress address() {
    return server.address();
  }

  /** Whether it refuses what Cosmos DB refuses. */
  public boolean isCosmos() {
    return config.profile() == ServerConfig.Profile.COSMOS;
  }

  /** Where what requests cost can be counted. */
  public Ledgers ledgers() {
    return backend.ledgers();
  }

  /** Lets requests in flight end, then stops; a second call does nothing. */
  @Override
  public void close() {
    server.close();
  }
}
