package dev.orrery.benchmarks;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** What follows the name of a benchmark: {@code --name value}, or {@code --name=value}. */
public record Options(Map<String, String> values) {
  /** Says what is wrong with the words of a call. */
  public static final class Refused extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public Refused(String message) {
      super(message);
    }
  }

  /** An option that is given twice has both values, with a comma between them. */
  static Options parse(List<String> arguments) {
    var values = new HashMap<String, String>();
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String argument = rest.next();
      int equals = argument.indexOf('=');
      if (!argument.startsWith("--") || equals < 0 && !rest.hasNext()) {
        throw new Refused("not an option with a value: " + argument);
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
        throw new Refused("no option --" + name + "; there are " + new TreeSet<>(names));
      }
    }
  }

  public int number(String name, int otherwise) {
    return parsed(name, otherwise, Integer::valueOf);
  }

  double fraction(String name, double otherwise) {
    return parsed(name, otherwise, Double::valueOf);
  }

  private <T extends Number> T parsed(String name, T otherwise, Function<String, T> parser) {
    String value = values.get(name);
    return value == null ? otherwise : parsed(name, value, parser);
  }

  private static <T extends Number> T parsed(
      String name, String value, Function<String, T> parser) {
    try {
      return parser.apply(value);
    } catch (NumberFormatException e) {
      throw new Refused("--" + name + " takes a number, not " + value);
    }
  }

  /** Numbers with commas between them. */
  List<Integer> numbers(String name, String otherwise) {
    return list(name, otherwise).stream()
        .map(value -> parsed(name, value, Integer::valueOf))
        .toList();
  }

  /** One of some words; the first where there is none. */
  String word(String name, List<String> known) {
    return knownTo(name, known, text(name, known.get(0)));
  }

  /** Any number of some words, which stand between commas. */
  public List<String> words(String name, List<String> known) {
    return list(name, "").stream().map(word -> knownTo(name, known, word)).toList();
  }

  private static String knownTo(String name, List<String> known, String word) {
    if (!known.contains(word)) {
      throw new Refused("no " + word + " for --" + name + "; there are " + known);
    }
    return word;
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
