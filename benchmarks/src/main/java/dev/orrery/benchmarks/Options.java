package dev.orrery.benchmarks;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What follows the name of a benchmark: {@code --name value}, or {@code --name=value}. */
public record Options(Map<String, String> values) {
  /** An option that is given twice has both values, with a comma between them. */
  static Options parse(List<String> arguments) {
    var values = new HashMap<String, String>();
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String argument = rest.next();
      int equals = argument.indexOf('=');
      if (!argument.startsWith("--") || equals < 0 && !rest.hasNext()) {
        throw new IllegalArgumentException("not an option with a value: " + argument);
      }
      String name = equals < 0 ? argument.substring(2) : argument.substring(2, equals);
      String value = equals < 0 ? rest.next() : argument.substring(equals + 1);
      values.merge(name, value, (first, second) -> first + "," + second);
    }
    return new Options(Map.copyOf(values));
  }

  /** Refuses an option that nobody reads. */
  public void requireKnown(Set<String> names) {
    for (String name : values.keySet()) {
      if (!names.contains(name)) {
        throw new IllegalArgumentException("no option --" + name + "; there are " + names);
      }
    }
  }

  public int number(String name, int otherwise) {
    return Integer.parseInt(values.getOrDefault(name, "" + otherwise));
  }

  double fraction(String name, double otherwise) {
    return Double.parseDouble(values.getOrDefault(name, "" + otherwise));
  }

  public String text(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }

  public Path path(String name, String otherwise) {
    return Path.of(values.getOrDefault(name, otherwise));
  }

  /** What stands between commas. */
  public List<String> list(String name, String otherwise) {
    String text = values.getOrDefault(name, otherwise);
    return text.isEmpty() ? List.of() : Arrays.asList(text.split(","));
  }
}
