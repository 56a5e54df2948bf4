package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.SafeRegex;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * {@code $regex}: a string in which the pattern is found, or the same regular expression stored as
 * a value.
 */
public final class Regex implements ValuePredicate {
  private static final int PATTERN_BYTES_MAX = 32_764;

  private final String pattern;
  private final String options;
  private final SafeRegex compiled;
  private final boolean mayBacktrack;

  private Regex(String pattern, String options, SafeRegex compiled) {
    this.pattern = pattern;
    this.options = options;
    this.compiled = compiled;
    this.mayBacktrack = pattern.chars().anyMatch(each -> "*+{".indexOf(each) >= 0);
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
    String invalid = SafeRegex.invalidOption(options);
    if (invalid != null) {
      throw new CommandException(
          ErrorCode.LOCATION_51108, " invalid flag in regex options: " + invalid);
    }
    return new Regex(pattern, options, compile(pattern, options));
  }

  private static SafeRegex compile(String pattern, String options) {
    try {
      return SafeRegex.compile(pattern, options);
    } catch (SafeRegex.InvalidPattern e) {
      throw new CommandException(
          ErrorCode.LOCATION_51091, "Regular expression is invalid: " + e.getMessage());
    }
  }

  public String pattern() {
    return pattern;
  }

  public String options() {
    return options;
  }

  BsonRegularExpression value() {
    return new BsonRegularExpression(pattern, options);
  }

  @Override
  public BsonDocument document() {
    var document = new BsonDocument("$regex", new BsonString(pattern));
    return options.isEmpty() ? document : document.append("$options", new BsonString(options));
  }

  @Override
  public boolean test(@Nullable RawValue value, MatchDetails details) {
    if (value == null) {
      return false;
    }
    return switch (value.type()) {
      case RawTypes.STRING, RawTypes.SYMBOL -> find(value.asString());
      case RawTypes.REGEX -> isSame(value);
      default -> false;
    };
  }

  /**
   * Whether the text holds the pattern; one that takes too long to tell does not, as in MongoDB.
   */
  boolean find(String text) {
    if (mayBacktrack) {
      Lane.requireMayWait();
    }
    try {
      return compiled.find(text);
    } catch (SafeRegex.TooCostly e) {
      return false;
    }
  }

  private boolean isSame(RawValue stored) {
    var regex = stored.toBsonValue().asRegularExpression();
    return regex.getPattern().equals(pattern) && regex.getOptions().equals(options);
  }
}
