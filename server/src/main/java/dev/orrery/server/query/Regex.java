package dev.orrery.server.query;

import static dev.orrery.server.query.FilterParser.badValue;

import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * {@code $regex}: a string in which the pattern is found, or the same regular expression stored as
 * a value.
 */
public final class Regex implements ValuePredicate {
  private static final int PATTERN_BYTES_MAX = 32_764;

  private final String pattern;
  private final String options;
  private final Pattern compiled;

  private Regex(String pattern, String options) {
    this.pattern = pattern;
    this.options = options;
    this.compiled = Pattern.compile(pattern);
  }

  static Regex of(RawValue regex) {
    var value = regex.toBsonValue().asRegularExpression();
    return of(value.getPattern(), value.getOptions());
  }

  static Regex of(String pattern, String options) {
    if (pattern.getBytes(StandardCharsets.UTF_8).length > PATTERN_BYTES_MAX) {
      throw badValue("Regular expression is too long");
    }
    if (pattern.indexOf('\0') >= 0) {
      throw badValue("Regular expression cannot contain an embedded null byte");
    }
    if (options.indexOf('\0') >= 0) {
      throw badValue("Regular expression options string cannot contain an embedded null byte");
    }
    return new Regex(pattern, options);
  }

  public String pattern() {
    return pattern;
  }

  public String options() {
    return options;
  }

  @Override
  public boolean test(RawValue value, MatchDetails details) {
    if (value == null) {
      return false;
    }
    return switch (value.type()) {
      case RawTypes.STRING, RawTypes.SYMBOL -> find(value.asString());
      case RawTypes.REGEX -> isSame(value);
      default -> false;
    };
  }

  boolean find(String text) {
    return compiled.matcher(text).find();
  }

  private boolean isSame(RawValue stored) {
    var regex = stored.toBsonValue().asRegularExpression();
    return regex.getPattern().equals(pattern) && regex.getOptions().equals(options);
  }
}
