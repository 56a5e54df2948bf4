package dev.orrery.server.synthetic;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonDocument;

/**
 * The lines by which a client computes a synthetic key as the server does, for accounts where the
 * client has to.
 */
public enum ClientCode {
  CSHARP("object %s", "%s == null", " || ", "Text(%s)", "(1 + Random.Shared.Next(%d))"),
  GO("%s any", "%s == nil", " || ", "text(%s)", "strconv.Itoa(1 + rand.Intn(%d))"),
  JAVA(
      "Object %s",
      "%s == null", " || ", "text(%s)", "(1 + ThreadLocalRandom.current().nextInt(%d))"),
  JAVASCRIPT("%s", "%s == null", " || ", "text(%s)", "(1 + Math.floor(Math.random() * %d))"),
  PYTHON("%s", "%s is None", " or ", "text(%s)", "str(random.randint(1, %d))");

  private final String parameter;
  private final String missing;
  private final String or;
  private final String text;
  private final String random;

  ClientCode(String parameter, String missing, String or, String text, String random) {
    this.parameter = parameter;
    this.missing = missing;
    this.or = or;
    this.text = text;
    this.random = random;
  }

  /** What the language is called on a command line. */
  public String languageName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** A function of the fields that the key is made of, in the order in which they come. */
  public String print(BsonDocument definition) throws IOException {
    KeyRecipe recipe = KeyRecipe.of(definition);
    Set<String> base = new LinkedHashSet<>();
    recipe.parts().stream().filter(KeyRecipe.Part::isField).forEach(one -> base.add(one.text()));
    Set<String> all = new LinkedHashSet<>(base);
    if (recipe.spread() != null) {
      all.add(recipe.spread());
    }
    return template()
        .replace("${name}", identifier(recipe.name()))
        .replace("${parameters}", joined(all, parameter, ", "))
        .replace("${missing}", base.isEmpty() ? no() : joined(base, missing, or))
        .replace("${value}", value(recipe));
  }

  private String no() {
    return this == PYTHON ? "False" : "false";
  }

  private String value(KeyRecipe recipe) {
    List<String> terms = new ArrayList<>();
    for (KeyRecipe.Part part : recipe.parts()) {
      terms.add(part.isField() ? text.formatted(identifier(part.text())) : quoted(part.text()));
    }
    if (recipe.count() > 0) {
      terms.add(quoted("."));
      terms.add(
          recipe.spread() == null
              ? random.formatted(recipe.count())
              : "%s(%s, %d)"
                  .formatted(
                      this == CSHARP ? "Suffix" : "suffix",
                      identifier(recipe.spread()),
                      recipe.count()));
    }
    return String.join(" + ", terms);
  }

  private static String joined(Set<String> fields, String form, String between) {
    return fields.stream()
        .map(field -> form.formatted(identifier(field)))
        .collect(Collectors.joining(between));
  }

  /** A name that every language takes, of a path that may have anything in it. */
  private static String identifier(String path) {
    String name = path.replaceAll("[^A-Za-z0-9]+", "_");
    return Character.isDigit(name.charAt(0)) ? "_" + name : name;
  }

  /** All five have these escapes. */
  private static String quoted(String text) {
    var quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char one = text.charAt(i);
      if (one == '"' || one == '\\') {
        quoted.append('\\').append(one);
      } else if (one >= ' ' && one < 0x7F) {
        quoted.append(one);
      } else {
        quoted.append("\\u%04x".formatted((int) one));
      }
    }
    return quoted.append('"').toString();
  }

  private String template() throws IOException {
    String name = "/synthetic-key/" + languageName() + ".txt";
    try (InputStream in = ClientCode.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("the program lacks its file " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
