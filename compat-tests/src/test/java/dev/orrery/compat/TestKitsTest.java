package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What others start servers by: the package for Node.js, and tools that take a mongod. */
final class TestKitsTest {
  private static final Path KITS = Path.of("..", "testkit").toAbsolutePath().normalize();

  @TempDir private Path directory;

  @Test
  void thePackageForNodePassesItsTests() throws IOException {
    String node = ClientTool.MONGODB.script("connect-mongodb.mjs").get(0);
    Path tests = KITS.resolve("node/test/orrery.test.mjs");
    ClientProcess run =
        ClientProcess.run(
            directory,
            environment(
                List.of("ORRERY_JAR=" + PackagedServer.jar()), node, "--test", tests.toString()),
            "");
    assertThat(run.exitCode()).as("%s %s", run.out(), run.err()).isZero();
  }

  @Test
  void theSamplePassesAsItIs() throws IOException {
    ClientProcess run = sample("right");
    assertThat(run.exitCode()).as("%s %s", run.out(), run.err()).isZero();
    assertThat(run.err())
        .anyMatch(line -> line.matches(" +all \\d+ budgets are kept"))
        .anyMatch(line -> line.matches(" +2 x {2}busy: throttle insert"));
  }

  @Test
  void theSampleFailsItsBudgetWhenTheIndexIsDropped() throws IOException {
    ClientProcess run = sample("without-index");
    assertThat(run.exitCode()).as("%s %s", run.out(), run.err()).isEqualTo(3);
    assertThat(run.err())
        .anyMatch(
            line ->
                line.contains("shape find orders filter {customer: ?} costs")
                    && line.contains("an index is lost"));
  }

  @Test
  void theSampleFailsItsTestsWhenItDoesNotTryAgain() throws IOException {
    ClientProcess run = sample("without-patience");
    assertThat(run.exitCode()).as("%s %s", run.out(), run.err()).isEqualTo(1);
    assertThat(run.out()).anyMatch(line -> line.contains("RetryAfterMs=5"));
  }

  private ClientProcess sample(String way) throws IOException {
    String node = ClientTool.MONGODB.script("connect-mongodb.mjs").get(0);
    for (String file : List.of("package.json", "shop.mjs", "shop.test.mjs", "budgets.json")) {
      Files.copy(KITS.resolve("sample").resolve(file), directory.resolve(file));
    }
    linkModules();
    var run = new ArrayList<>(List.of(PackagedServer.java(), "-jar"));
    run.addAll(List.of(PackagedServer.jar().toString(), "run", "--test-commands"));
    run.addAll(List.of("--budgets", directory.resolve("budgets.json").toString(), "--"));
    run.addAll(List.of(node, "--test", directory.resolve("shop.test.mjs").toString()));
    return ClientProcess.run(
        directory, environment(List.of("SAMPLE=" + way), run.toArray(String[]::new)), "");
  }

  @Test
  void mongodbMemoryServerStartsOrrery() throws IOException {
    List<String> script = ClientTool.MEMORY_SERVER.script("memory-server-mongoose.mjs");
    ClientProcess run =
        ClientProcess.run(
            directory,
            environment(
                List.of(
                    "MONGOMS_SYSTEM_BINARY=" + mongod(),
                    "MONGOMS_SYSTEM_BINARY_VERSION_CHECK=false"),
                script.toArray(String[]::new)),
            "");
    assertThat(run.exitCode()).as("%s %s", run.out(), run.err()).isZero();
    assertThat(run.out()).containsExactly("single", "set");
  }

  @Test
  void whatStartsAMongodForPytestStartsOrrery() throws IOException {
    Path test = directory.resolve("test_shop.py");
    Files.copy(ClientTool.folder().resolve("mongod_pytest.py"), test);
    List<String> pytest = ClientTool.PYTEST.script("mongod_pytest.py");
    ClientProcess run =
        ClientProcess.run(
            directory,
            environment(
                List.of("MONGOD=" + mongod()), pytest.get(0), "-m", "pytest", test.toString()),
            "");
    assertThat(run.exitCode()).as("%s %s", run.out(), run.err()).isZero();
    assertThat(run.out()).anyMatch(line -> line.contains("1 passed"));
  }

  /** As testkit/bin/mongod is, but for the launcher, which might build the server anew. */
  private Path mongod() throws IOException {
    Path script = directory.resolve("mongod");
    Files.writeString(
        script,
        "#!/bin/sh%nexec '%s' -jar '%s' mongod \"$@\"%n"
            .formatted(PackagedServer.java(), PackagedServer.jar()));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return script;
  }

  private void linkModules() throws IOException {
    Files.createSymbolicLink(
        directory.resolve("node_modules"), ClientTool.folder().resolve("node_modules"));
  }

  /** The command with variables in its environment, and with the Java of these tests. */
  private static List<String> environment(List<String> variables, String... command) {
    return Stream.of(
            Stream.of("env", "JAVA_HOME=" + System.getProperty("java.home")),
            variables.stream(),
            Stream.of(command))
        .flatMap(each -> each)
        .toList();
  }
}
