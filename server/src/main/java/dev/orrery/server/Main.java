package dev.orrery.server;

import dev.orrery.lane.Lane;
import dev.orrery.server.run.RunCommandLine;
import dev.orrery.server.transfer.AdviseCommandLine;
import dev.orrery.server.transfer.ExportCommandLine;
import dev.orrery.server.transfer.ImportCommandLine;
import dev.orrery.server.transfer.RecordCommandLine;
import dev.orrery.server.transfer.ReplayCommandLine;
import dev.orrery.server.transfer.TailCommandLine;
import dev.orrery.server.transfer.source.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** The entry point: from a command line to a server that runs until it is told to stop. */
public final class Main {
  static final int STARTED = 0;
  static final int FAILED = 1;
  static final int MISUSED = 2;

  private final PrintStream out;
  private final PrintStream err;

  Main(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  public static void main(String[] arguments) {
    if (System.getProperty("logback.configurationFile") == null) {
      // Under a name of its own: whoever has this jar on a class path logs as they like.
      System.setProperty("logback.configurationFile", "orrery-logback.xml");
    }
    int code = new Main(System.out, System.err).run(System.getenv(), arguments);
    if (code != STARTED) {
      System.exit(code);
    }
  }

  /** Returns an exit code; after STARTED the threads of the server keep the process alive. */
  int run(Map<String, String> environment, String... arguments) {
    var parser = new CommandLineParser(Version.current(), out);
    warnOfStrangers(environment);
    try {
      if (arguments.length > 0 && !arguments[0].startsWith("-")) {
        return runSubcommand(
            environment, arguments[0], Arrays.copyOfRange(arguments, 1, arguments.length));
      }
      var parsed = parser.parse(arguments);
      if (parser.printHelp(parsed)) {
        return STARTED;
      }
      ServerConfig config = CommandLineParser.config(parsed, environment);
      return start(config, server -> tellReady(server, config));
    } catch (ConfigException e) {
      err.println("orrery: " + e.getMessage() + ". Try --help.");
      return MISUSED;
    } catch (IOException e) {
      err.println("orrery: " + e.getMessage());
      return FAILED;
    }
  }

  private void warnOfStrangers(Map<String, String> environment) {
    List<String> strangers = ConfigSources.strangers(environment);
    if (!strangers.isEmpty()) {
      err.println(
          "orrery: no settings, and passed over: the environment variables "
              + String.join(", ", strangers));
    }
  }

  /** What is not serving; its classes are loaded only here, so a start does not pay for them. */
  private int runSubcommand(Map<String, String> environment, String name, String... arguments)
      throws IOException {
    return switch (name) {
      case AdviseCommandLine.NAME -> new AdviseCommandLine(console()).run(arguments);
      case CertificateCommandLine.NAME -> new CertificateCommandLine(out).run(arguments);
      case CheckCommandLine.NAME -> new CheckCommandLine(out, err).run(arguments);
      case ExportCommandLine.NAME ->
          new ExportCommandLine(console(), Version.current()).run(arguments);
      case ImportCommandLine.NAME ->
          new ImportCommandLine(console(), Clock.systemUTC()).run(arguments);
      case MongodCommandLine.NAME -> mongod(environment, arguments);
      case RecordCommandLine.NAME -> new RecordCommandLine(console()).run(arguments);
      case ReplayCommandLine.NAME -> new ReplayCommandLine(console()).run(arguments);
      case RunCommandLine.NAME ->
          new RunCommandLine(console(), served -> launch(environment, served)).run(arguments);
      case SalvageCommandLine.NAME -> new SalvageCommandLine(out, err).run(arguments);
      case SyntheticKeyCommandLine.NAME -> new SyntheticKeyCommandLine(out).run(arguments);
      case TailCommandLine.NAME -> new TailCommandLine(console(), Clock.systemUTC()).run(arguments);
      case TrainingRun.NAME -> train();
      default -> throw new ConfigException("there is no command " + name);
    };
  }

  /** Serves as a mongod would, for those who start one and wait for its words. */
  private int mongod(Map<String, String> environment, String... arguments) throws IOException {
    var line = new MongodCommandLine(out);
    List<String> own = line.translate(arguments);
    if (own == null) {
      return STARTED;
    }
    var parser = new CommandLineParser(Version.current(), out);
    var config = CommandLineParser.config(parser.parse(own.toArray(String[]::new)), environment);
    var started = new AtomicReference<MongoServer>();
    start(config, started::set);
    line.ready(started.get().address().getPort());
    out.flush();
    return STARTED;
  }

  /** A short life, for those who keep what a start needs: Java's archives of classes. */
  private int train() throws IOException {
    var parser = new CommandLineParser(Version.current(), out);
    var parsed = parser.parse("--port=0", "--console-port=off", "--ephemeral");
    start(
        CommandLineParser.config(parsed, Map.of()),
        server -> out.println(new TrainingRun(server.address()).run()));
    System.exit(STARTED);
    return STARTED;
  }

  /** A server for the time of another process. */
  private static RunCommandLine.Server launch(
      Map<String, String> environment, List<String> arguments) throws IOException {
    ServerConfig config = EmbeddedServer.config(environment, arguments);
    prepareLibraries(config);
    EmbeddedServer server = EmbeddedServer.start(EmbeddedServer.Keys.MAPPED, config);
    return new RunCommandLine.Server(server.uri(), server.ledgers(), server::close);
  }

  private Console console() {
    return new Console(System.in, out, err, System.console() != null);
  }

  /** Settings of libraries, for a process that is ours alone. */
  private static void prepareLibraries(ServerConfig config) {
    // All are read by libraries when their first class is loaded, so not before this line.
    System.setProperty("chronicle.announcer.disable", "true");
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      // A sample of all buffers costs a twentieth of a short request; tests look at each.
      System.setProperty("io.netty.leakDetection.level", "disabled");
    }
    if (System.getProperty("jdk.nio.maxCachedBufferSize") == null) {
      // Else every thread keeps as much memory outside of the heap as it ever read or wrote.
      System.setProperty("jdk.nio.maxCachedBufferSize", "262144");
    }
    if (System.getProperty("io.netty.jfr.enabled") == null) {
      // Nobody records its events, and to register them holds up a loop for half a second.
      System.setProperty("io.netty.jfr.enabled", "false");
    }
    System.setProperty("orrery.log.level", name(config.diagnostics().logLevel()));
    boolean isSilent = config.diagnostics().logLevel() == ServerConfig.LogLevel.OFF;
    System.setProperty("orrery.log.slow", isSilent ? "off" : "info");
  }

  private int start(ServerConfig config, Consumer<MongoServer> whenReady) throws IOException {
    prepareLibraries(config);
    var process = new OwnProcess(err);
    var server =
        MongoServer.start(config, (settings, data) -> EngineBackend.open(settings, data, process));
    Runtime.getRuntime().addShutdownHook(Lane.BACKGROUND.thread("stop", server::close));
    whenReady.accept(server);
    out.flush();
    return STARTED;
  }

  private void tellReady(MongoServer server, ServerConfig config) {
    out.println("Orrery " + Version.current() + " is ready: " + uri(server.address(), config));
    InetSocketAddress console = server.consoleAddress();
    if (console != null) {
      out.println("Console: " + consoleUri(console, config));
    }
  }

  private static String consoleUri(InetSocketAddress address, ServerConfig config) {
    var tls = config.access().tls();
    return "%s://%s:%d/"
        .formatted(tls != null ? "https" : "http", localName(address), address.getPort());
  }

  private static String localName(InetSocketAddress address) {
    var host = address.getAddress();
    String name = host.isAnyLocalAddress() ? "127.0.0.1" : host.getHostAddress();
    boolean needsBrackets = host instanceof Inet6Address && !host.isAnyLocalAddress();
    return needsBrackets ? "[" + name + "]" : name;
  }

  private static String name(ServerConfig.LogLevel level) {
    return level.name().toLowerCase(Locale.ROOT);
  }

  /** What a client on this machine connects to. */
  static String uri(InetSocketAddress address, ServerConfig config) {
    var tls = config.access().tls();
    String options = tls != null && tls.isOnly() ? "?tls=true" : "";
    return "mongodb://%s:%d/%s".formatted(localName(address), address.getPort(), options);
  }
}
