package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression with PCRE's syntax and a bounded cost. It runs on java.util.regex: {@link
 * PcreSyntax} rewrites what the two read differently, and the text counts how often it is looked
 * at, so that a pattern which backtracks without end is given up.
 */
public final class SafeRegex {
  /** Looks at a character; PCRE stops after ten million of its own, coarser steps. */
  private static final long STEPS_MAX = 50_000_000;

  /** Steps between two looks at whether the request must end; a power of two. */
  private static final int LOOK_STEPS = 1 << 14;

  /** So many plain characters fill the 64 KB that PCRE has for a pattern. */
  private static final int PATTERN_MAX = 32_764;

  private final Pattern pattern;

  private SafeRegex(Pattern pattern) {
    this.pattern = pattern;
  }

  /** The pattern does not parse; the message is the one that PCRE gives. */
  public static final class InvalidPattern extends RuntimeException {
    InvalidPattern(String message) {
      super(message, null, false, false);
    }
  }

  /** Matching was given up because it took too many steps or too much stack. */
  public static final class TooCostly extends RuntimeException {
    TooCostly() {
      super("match limit exceeded", null, false, false);
    }
  }

  /** Where a pattern matched, in chars of the input; a group that took no part is null. */
  public record Match(int start, int end, List<@Nullable String> groups) {}

  /** Compiles a pattern; {@code options} are of i, m, s, x and u, others don't count here. */
  public static SafeRegex compile(String pattern, String options) {
    if (pattern.length() > PATTERN_MAX) {
      throw new InvalidPattern("regular expression is too large");
    }
    // PCRE ends a line at \n only, and folds the case of all of Unicode.
    int flags = Pattern.UNIX_LINES;
    for (int i = 0; i < options.length(); i++) {
      flags |=
          switch (options.charAt(i)) {
            case 'i' -> Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;
            case 'm' -> Pattern.MULTILINE;
            case 's' -> Pattern.DOTALL;
            case 'x' -> Pattern.COMMENTS;
            default -> 0;
          };
    }
    try {
      String translated = new PcreSyntax(pattern, options.indexOf('x') >= 0).translate();
      return new SafeRegex(Pattern.compile(translated, flags));
    } catch (PatternSyntaxException e) {
      throw new InvalidPattern(PcreSyntax.message(e.getDescription()));
    } catch (StackOverflowError e) {
      throw new InvalidPattern("parentheses are too deeply nested");
    }
  }

  /** The first option that is none; null if all are. */
  public static @Nullable String invalidOption(String options) {
    for (int i = 0; i < options.length(); i++) {
      if ("imsxu".indexOf(options.charAt(i)) < 0) {
        return options.substring(i, i + 1);
      }
    }
    return null;
  }

  /** The length of the pattern. */
  int length() {
    return pattern.pattern().length();
  }

  public int groupCount() {
    return pattern.matcher("").groupCount();
  }

  /** Whether it matches anywhere in the input. */
  public boolean find(String input) {
    try {
      return pattern.matcher(new CountedText(input)).find();
    } catch (StackOverflowError e) {
      throw new TooCostly();
    }
  }

  /** The first match that begins at or after a position; null if there is none. */
  public @Nullable Match find(String input, int from) {
    try {
      Matcher matcher = pattern.matcher(new CountedText(input));
      if (from > input.length() || !matcher.find(from)) {
        return null;
      }
      var groups = new ArrayList<@Nullable String>(matcher.groupCount());
      for (int i = 1; i <= matcher.groupCount(); i++) {
        groups.add(matcher.group(i));
      }
      return new Match(matcher.start(), matcher.end(), groups);
    } catch (StackOverflowError e) {
      throw new TooCostly();
    }
  }

  /** A text that gives up after it was looked at too often. */
  private static final class CountedText implements CharSequence {
    private final String text;
    private long steps;

    CountedText(String text) {
      this.text = text;
    }

    @Override
    public char charAt(int index) {
      if ((++steps & LOOK_STEPS - 1) == 0) {
        Allowance.current().check();
        if (steps > STEPS_MAX) {
          throw new TooCostly();
        }
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.substring(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
