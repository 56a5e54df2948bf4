package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the recipes of docs/testing.md as they stand there. */
final class RecipesTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "testing.md");

  @TempDir private Path directory;

  @Test
  void nodeTestsRun() throws IOException {
    Path test = directory.resolve("shop.test.mjs");
    Files.writeString(test, recipe("### Node.js", "js"));
    Files.createSymbolicLink(
        directory.resolve("node_modules"), ClientTool.folder().resolve("node_modules"));
    List<String> node = ClientTool.MONGODB.script("connect-mongodb.mjs");
    ClientProcess run = run(List.of(node.get(0), "--test", test.toString()));
    assertThat(run.exitCode()).as("%s %s", run.out(), run.err()).isZero();
    assertThat(run.err()).anyMatch(line -> line.contains("1 x  find orders filter {_id: ?}"));
  }

  @Test
  void pythonTestsRun() throws IOException {
    Path test = directory.resolve("test_shop.py");
    Files.writeString(test, recipe("### Python", "python"));
    List<String> python = ClientTool.PYMONGO.script("connect_pymongo.py");
    ClientProcess run = run(List.of(python.get(0), test.toString()));
    assertThat(run.exitCode()).as("%s %s", run.out(), run.err()).isZero();
    assertThat(run.err()).contains("OK").anyMatch(line -> line.contains("x  insert orders"));
  }

  @Test
  void pytestRunsThem() throws IOException {
    Path test = directory.resolve("test_shop.py");
    Files.writeString(test, recipe("### Python", "python"));
    String python = ClientTool.PYTEST.script("mongod_pytest.py").get(0);
    ClientProcess run = run(List.of(python, "-m", "pytest", test.toString()));
    assertThat(run.exitCode()).as("%s %s", run.out(), run.err()).isZero();
    assertThat(run.out()).anyMatch(line -> line.contains("1 passed"));
    assertThat(run.err()).anyMatch(line -> line.contains("x  insert orders"));
  }

  /** It is run there. */
  @Test
  void theRecipeForSpringBootIsATestOfItsModule() throws IOException {
    Path source = Path.of("..", "testkit/spring/src/test/java/shop/OrdersTest.java");
    String ours = Files.readString(source).replace("package shop;\n\n", "");
    assertThat(recipe("### Spring Boot", "java")).isEqualTo(ours);
  }

  @Test
  void theJavaRecipeIsATestOfTheTestKit() throws IOException {
    Path source = Path.of("..", "testkit/src/test/java/dev/orrery/testkit/ShopTest.java");
    String ours = Files.readString(source).replace("package dev.orrery.testkit;\n\n", "");
    String imports =
        """
        import dev.orrery.testkit.MaxRequestUnits;
        import dev.orrery.testkit.OrreryTest;
        """;
    assertThat(recipe("### Java, JUnit 5", "java")).isEqualTo(imports + ours);
  }

  private ClientProcess run(List<String> command) throws IOException {
    var all =
        new ArrayList<>(
            List.of(PackagedServer.java(), "-jar", PackagedServer.jar().toString(), "run", "--"));
    all.addAll(command);
    return ClientProcess.run(directory, all, "");
  }

  private static String recipe(String title, String language) throws IOException {
    String text = Files.readString(DOCUMENT);
    Matcher block = Pattern.compile("(?s)```" + language + "\n(.*?)```").matcher(text);
    assertThat(block.find(text.indexOf(title))).isTrue();
    return block.group(1);
  }
}
