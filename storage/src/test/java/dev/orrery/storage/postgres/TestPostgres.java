package dev.orrery.storage.postgres;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A real PostgreSQL of this process, started when somebody asks for it, and gone with it. It
 * refuses to run as root: there it is started as nobody.
 */
public final class TestPostgres {
  private static final long START_MILLIS = 30_000;
  private static final String USER = "orrery";
  private static final AtomicInteger SCHEMAS = new AtomicInteger();
  private static TestPostgres running;

  private final Path home;
  private final Path data;
  private final String password = UUID.randomUUID().toString();
  private final boolean isRoot;
  private final int port;
  private Process process;

  private TestPostgres() throws IOException, InterruptedException {
    isRoot = "root".equals(System.getProperty("user.name"));
    home = Files.createTempDirectory("orrery-postgres");
    PostgresBinaries.unpack(home.resolve("postgres"));
    data = home.resolve("data");
    Path secret = home.resolve("password");
    Files.writeString(secret, password);
    if (isRoot) {
      giveToNobody(home);
    }
    run(
        "initdb",
        List.of("-D", data.toString(), "-U", USER, "-A", "scram-sha-256", "-E", "UTF8"),
        List.of("--locale=C", "--no-sync", "--pwfile=" + secret));
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    start();
  }

  /** One for all tests of this process. */
  public static synchronized TestPostgres running() {
    if (running == null) {
      try {
        running = new TestPostgres();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      Runtime.getRuntime().addShutdownHook(new Thread(running::delete));
    }
    return running;
  }

  /** Where an engine finds it, with tables of its own. */
  public PostgresOptions options(String schema) {
    return PostgresOptions.of(
        "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(port),
        Map.of("user", USER, "password", password),
        schema);
  }

  /** A name that nobody has used. */
  public static String freshSchema() {
    return "test_" + SCHEMAS.incrementAndGet();
  }

  public int port() {
    return port;
  }

  public String user() {
    return USER;
  }

  public String password() {
    return password;
  }

  private static void giveToNobody(Path path) throws IOException {
    var nobody =
        path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.toList()) {
        Files.setOwner(each, nobody);
      }
    }
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private List<String> command(String name) {
    var command = new ArrayList<String>();
    if (isRoot) {
      command.addAll(asNobody());
    }
    command.add(home.resolve("postgres/bin").resolve(name).toString());
    return command;
  }

  private static List<String> asNobody() {
    if (new File("/usr/bin/setpriv").canExecute()) {
      return List.of("setpriv", "--reuid=nobody", "--regid=65534", "--clear-groups");
    }
    if (new File("/usr/sbin/runuser").canExecute()) {
      return List.of("runuser", "-u", "nobody", "--");
    }
    throw new IllegalStateException(
        "PostgreSQL refuses to run as root, and there is neither setpriv nor runuser to start it as"
            + " nobody: run the tests as another user");
  }

  private void run(String name, List<String> arguments, List<String> more)
      throws IOException, InterruptedException {
    List<String> command = command(name);
    command.addAll(arguments);
    command.addAll(more);
    Process started = start(command);
    if (!started.waitFor(60, TimeUnit.SECONDS) || started.exitValue() != 0) {
      throw new IllegalStateException(command + " failed: " + log());
    }
  }

  private Process start(List<String> command) throws IOException {
    File log = home.resolve("log").toFile();
    return new ProcessBuilder(command)
        .directory(home.toFile())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
        .start();
  }

  private String log() throws IOException {
    return Files.readString(home.resolve("log"));
  }

  /** Starts it, again after {@link #kill}. */
  public void start() throws IOException, InterruptedException {
    List<String> command = command("postgres");
    command.addAll(List.of("-D", data.toString(), "-p", "" + port, "-k", "", "-h", "127.0.0.1"));
    for (String setting :
        List.of("fsync=off", "max_connections=200", "shared_buffers=64MB", "max_wal_size=256MB")) {
      command.addAll(List.of("-c", setting));
    }
    process = start(command);
    long deadline = System.currentTimeMillis() + START_MILLIS;
    var connections = new Connections(options("public"));
    for (; ; ) {
      try (DatabaseSession ready = connections.open()) {
        ready.run("SELECT 1");
        return;
      } catch (LostConnectionException e) {
        if (!process.isAlive() || System.currentTimeMillis() > deadline) {
          throw new IllegalStateException("PostgreSQL does not start: " + log(), e);
        }
        Thread.sleep(50);
      }
    }
  }

  /** Ends it at once, as a crash does. */
  public void kill() throws InterruptedException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
  }

  private void delete() {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        kill();
      }
      try (Stream<Path> all = Files.walk(home)) {
        for (Path each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(each);
        }
      }
    } catch (IOException e) {
      System.err.println(home + " is left: " + e); // the process ends, and nobody else can be told
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The archive of the binaries for this machine, among the dependencies of tests. */
  static InputStream archive() {
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    String name =
        arch.equals("aarch64") ? "postgres-linux-arm_64.txz" : "postgres-linux-x86_64.txz";
    InputStream found = TestPostgres.class.getResourceAsStream("/" + name);
    if (found == null) {
      throw new IllegalStateException("there is no PostgreSQL for tests on " + arch);
    }
    return found;
  }
}
