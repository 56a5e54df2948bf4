package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of clients names the tests that there are, each with what it does. */
final class ClientTableTest {
  private static final List<Class<?>> TESTS =
      List.of(
          ClientsTest.class,
          CommandExamplesTest.class,
          DocumentsTest.class,
          DriverTest.class,
          FilesTest.class,
          PartitioningExamplesTest.class,
          ReactiveDriverTest.class,
          SecureClientsTest.class,
          ShellExamplesTest.class,
          ShellTest.class,
          StreamExamplesTest.class,
          TransactionClientsTest.class,
          WatchTest.class);

  private static final Pattern ROW =
      Pattern.compile("\\| ([^|]+) \\| [^|]+ \\| ([^|]+) \\| `([^`]+)` \\| passed \\|");

  @Test
  void itSaysWhatTheTestsDo() throws IOException {
    var expected = new TreeSet<String>();
    for (Class<?> tests : TESTS) {
      Arrays.stream(tests.getDeclaredMethods())
          .filter(method -> method.isAnnotationPresent(Exercises.class))
          .forEach(
              method -> {
                Exercises exercises = method.getAnnotation(Exercises.class);
                String test = tests.getSimpleName() + "." + method.getName();
                expected.add(line(exercises.client().title(), exercises.what(), test));
              });
    }
    var told = new TreeSet<String>();
    ClientTable.rows()
        .map(ROW::matcher)
        .filter(row -> row.matches())
        .forEach(row -> told.add(line(row.group(1), row.group(2), row.group(3))));
    assertThat(told)
        .as("docs/compat.md; run the tests of compat-tests with -Dcompat.write=true")
        .isEqualTo(expected);
  }

  private static String line(String client, String what, String test) {
    return client + ": " + what + " (" + test + ")";
  }
}
