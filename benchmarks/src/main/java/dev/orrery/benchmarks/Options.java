package dev.orrery.benchmarks;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What follows the name of a benchmark: {@code --name=value}. */
public record Options(Map<String, String> values) {
  static Options parse(List<String> arguments) {
    var values = new HashMap<String, String>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (!argument.startsWith("--") || equals < 0) {
        throw new IllegalArgumentException("not an option: " + argument);
      }
      values.put(argument.substring(2, equals), argument.substring(equals + 1));
    }
    return new Options(Map.copyOf(values));
  }

  public int number(String name, int otherwise) {
    return Integer.parseInt(values.getOrDefault(name, "" + otherwise));
  }

  public String text(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }
}
