package dev.orrery.server.transfer.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for namespaces as mongorestore has it: {@code *} stands for any characters, {@code
 * $name$} for some that the other side of a renaming repeats, and a backslash takes the meaning of
 * the next character away.
 */
final class NamespacePattern {
  private static final Pattern PARTS = Pattern.compile("\\\\(.)|(\\*)|\\$(\\w+)\\$|([^\\\\*$]+|.)");

  /** A piece of fixed text, or a variable. */
  private record Part(@Nullable String text, @Nullable String variable) {}

  private final List<Part> parts = new ArrayList<>();
  private final Pattern regex;

  NamespacePattern(String text) {
    var pattern = new StringBuilder();
    Matcher matcher = PARTS.matcher(text);
    int stars = 0;
    while (matcher.find()) {
      if (matcher.group(2) != null) {
        parts.add(new Part(null, "*" + stars++));
        pattern.append("(.*)");
      } else if (matcher.group(3) != null) {
        parts.add(new Part(null, matcher.group(3)));
        pattern.append("(.*?)");
      } else {
        String literal = matcher.group(1) != null ? matcher.group(1) : matcher.group(4);
        parts.add(new Part(literal, null));
        pattern.append(Pattern.quote(literal));
      }
    }
    regex = Pattern.compile(pattern.toString(), Pattern.DOTALL);
  }

  boolean matches(String namespace) {
    return regex.matcher(namespace).matches();
  }

  /** What the parts of this pattern stand for in a namespace, or null if it does not match. */
  private @Nullable Map<String, String> variables(String namespace) {
    Matcher matcher = regex.matcher(namespace);
    if (!matcher.matches()) {
      return null;
    }
    var variables = new HashMap<String, String>();
    int group = 1;
    for (Part part : parts) {
      if (part.variable != null) {
        variables.put(part.variable, matcher.group(group++));
      }
    }
    return variables;
  }

  /** The namespace under its new name, or null if this pattern does not match it. */
  @Nullable String rename(String namespace, NamespacePattern to) {
    Map<String, String> variables = variables(namespace);
    if (variables == null) {
      return null;
    }
    var renamed = new StringBuilder();
    for (Part part : to.parts) {
      renamed.append(part.text != null ? part.text : variables.getOrDefault(part.variable, ""));
    }
    return renamed.toString();
  }

  /** Whether all that the new name repeats is in the old one. */
  boolean covers(NamespacePattern to) {
    return to.parts.stream()
        .filter(part -> part.variable != null)
        .allMatch(part -> parts.contains(part));
  }
}
