package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The steps of the Dockerfile, each taken here as it stands there: there is nobody to build it. */
final class ImageTest {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
  private static final String STRANGER = "12345";
  private static final Pattern READY = Pattern.compile("Orrery .* is ready: (mongodb://.*:(\\d+)/)");

  @TempDir private Path directory;
  private final List<Process> started = new ArrayList<>();
  private String dockerfile;
  private Path jar;
  private Path data;

  @BeforeEach
  void copy() throws IOException {
    dockerfile = Files.readString(PROJECT.resolve("Dockerfile")).replace("\\\n", " ");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path home = Files.createDirectory(directory.resolve("opt"));
    jar = Files.copy(PackagedServer.jar(), home.resolve("orrery.jar"));
    data = Files.createDirectory(directory.resolve("data"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  @AfterEach
  void end() throws InterruptedException {
    for (Process process : started) {
      process.destroy();
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void anyUserServesFromAFreshVolumeAndWritesNowhereElse() throws Exception {
    assumeTrue(Files.exists(Path.of("/usr/bin/setpriv")) && isRoot());
    train();
    Server server = start(STRANGER, Map.of("ORRERY_SERVICE_HOST", "10.0.0.1"));
    use(server.uri);
    assertThat(Files.getAttribute(data.resolve("lock"), "unix:uid")).isEqualTo(12345);
    assertThat(healthy(server.port)).isZero();
  }

  @Test
  void theArchiveOfClassesIsMadeByRealCommandsAndTaken() throws Exception {
    train();
    assertThat(Files.size(directory.resolve("opt/orrery.jsa"))).isGreaterThan(10 << 20);
    Server server = start(null, Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load=info:file=" + loaded()));
    use(server.uri);
    List<String> classes = Files.readAllLines(loaded());
    assertThat(classes)
        .anyMatch(
            line ->
                line.contains("dev.orrery.server.command.data.InsertCommand ")
                    && line.contains("shared objects file (top)"));
  }

  private Path loaded() {
    return directory.resolve("classes");
  }

  @Test
  void clientsAreToldOfNoAddressInside() throws Exception {
    Server server = start(null, Map.of());
    try (MongoClient client = MongoClients.create(server.uri)) {
      Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
      assertThat(hello.toJson()).doesNotContain(":" + server.port);
    }
  }

  @Test
  void healthyIsOnlyWhoAnswers() throws Exception {
    Server server = start(null, Map.of());
    assertThat(healthy(server.port)).isZero();
    started.get(0).destroy();
    assertThat(started.get(0).waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(healthy(server.port)).isNotZero();
    try (var silent = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
      assertThat(healthy(silent.getLocalPort())).isNotZero();
    }
  }

  private int healthy(int port) throws Exception {
    assertThat(dockerfile).contains("CMD [\"/opt/orrery/healthy\"]");
    var check = new ProcessBuilder("bash", PROJECT.resolve("docker/healthy").toString());
    check.environment().put("ORRERY_PORT", String.valueOf(port));
    Process process = check.redirectErrorStream(true).start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private static void use(String uri) {
    try (MongoClient client = MongoClients.create(uri + "?compressors=zstd")) {
      var orders = client.getDatabase("shop").getCollection("orders");
      orders.insertOne(new Document("_id", 1));
      assertThat(orders.countDocuments()).isEqualTo(1);
    }
  }

  private static boolean isRoot() throws IOException {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
  }

  /** RUN ... train */
  private void train() throws Exception {
    Matcher run = Pattern.compile("timeout 60 java (-XX:ArchiveClassesAtExit=.* train)").matcher(dockerfile);
    assertThat(run.find()).isTrue();
    var command = new ArrayList<>(List.of(PackagedServer.java()));
    command.addAll(List.of(run.group(1).trim().split(" +")));
    Process process =
        new ProcessBuilder(command)
            .directory(jar.getParent().toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output).contains("trained with ");
  }

  private record Server(String uri, int port) {}

  /** ENTRYPOINT with ENV, on a port of its own, by a user who may write only to the data. */
  private Server start(String user, Map<String, String> further) throws IOException {
    List<String> command = new ArrayList<>();
    if (user != null) {
      command.addAll(
          List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"));
    }
    command.addAll(entrypoint());
    command.addAll(List.of("--port", "0", "--console-port", "off"));
    var builder = new ProcessBuilder(command).directory(data.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("ORRERY_"));
    builder.environment().putAll(variables());
    builder.environment().putAll(further);
    Process process = builder.redirectErrorStream(true).start();
    started.add(process);
    BufferedReader output = process.inputReader();
    var told = new ArrayList<String>();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      told.add(line);
      Matcher ready = READY.matcher(line);
      if (ready.find()) {
        return new Server(ready.group(1), Integer.parseInt(ready.group(2)));
      }
    }
    throw new IOException("the server ended: " + told);
  }

  private List<String> entrypoint() {
    Matcher entrypoint = Pattern.compile("ENTRYPOINT \\[(.*)]").matcher(dockerfile);
    assertThat(entrypoint.find()).isTrue();
    return Pattern.compile("\"([^\"]*)\"")
        .matcher(entrypoint.group(1))
        .results()
        .map(one -> one.group(1).replace("/opt/orrery", jar.getParent().toString()))
        .map(one -> one.equals("java") ? PackagedServer.java() : one)
        .collect(Collectors.toList());
  }

  private Map<String, String> variables() {
    Matcher env = Pattern.compile("ENV (.*)").matcher(dockerfile);
    assertThat(env.find()).isTrue();
    var variables = new TreeMap<String, String>();
    for (String one : env.group(1).trim().split(" +")) {
      String[] parts = one.split("=", 2);
      variables.put(parts[0], parts[1].equals("/data") ? data.toString() : parts[1]);
    }
    assertThat(variables).containsKeys("ORRERY_ADVERTISE", "ORRERY_BIND", "ORRERY_DATA");
    return variables;
  }
}
