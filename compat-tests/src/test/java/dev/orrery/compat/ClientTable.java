package dev.orrery.compat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The table of clients in docs/compat.md. With {@code -Dcompat.write=true} each class of tests
 * writes the rows of those of its tests that passed; {@link ClientTableTest} compares the table
 * with the tests that there are.
 */
final class ClientTable implements AfterTestExecutionCallback, AfterAllCallback {
  private static final Path FILE = Path.of("..", "docs", "compat.md");
  private static final String HEAD = "|---|---|---|---|---|\n";

  /** By a row's test, so that the order of the runs does not matter. */
  private final Map<String, Exercises> passed = new LinkedHashMap<>();

  private final SortedSet<String> failed = new TreeSet<>();

  @Override
  public void afterTestExecution(ExtensionContext context) {
    var method = context.getRequiredTestMethod();
    Exercises exercises = method.getAnnotation(Exercises.class);
    if (exercises == null) {
      return;
    }
    String test = context.getRequiredTestClass().getSimpleName() + "." + method.getName();
    passed.put(test, exercises);
    if (context.getExecutionException().isPresent()) {
      failed.add(test);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    if (!Boolean.getBoolean("compat.write")) {
      return;
    }
    String own = "| `" + context.getRequiredTestClass().getSimpleName() + ".";
    var rows = new TreeSet<String>();
    rows().filter(row -> !row.contains(own)).forEach(rows::add);
    for (var test : passed.entrySet()) {
      if (!failed.contains(test.getKey())) {
        rows.add(row(test.getKey(), test.getValue()));
      }
    }
    write(rows);
  }

  private static String row(String test, Exercises exercises) throws IOException {
    ClientKind client = exercises.client();
    String form = "| %s | %s | %s | `%s` | passed |";
    return form.formatted(client.title(), client.version(), exercises.what(), test);
  }

  /** The rows that the document has now. */
  static Stream<String> rows() throws IOException {
    String text = Files.readString(FILE);
    int start = text.indexOf(HEAD) + HEAD.length();
    return Arrays.stream(text.substring(start, text.indexOf("\n\n", start)).split("\n"))
        .filter(row -> row.startsWith("|"));
  }

  private static void write(SortedSet<String> rows) throws IOException {
    String text = Files.readString(FILE);
    int start = text.indexOf(HEAD) + HEAD.length();
    int end = text.indexOf("\n\n", start);
    Files.writeString(
        FILE, text.substring(0, start) + String.join("\n", rows) + text.substring(end));
  }
}
