package dev.orrery.language.expression;

import java.util.Map;
import java.util.Set;
import java.util.regex.PatternSyntaxException;

/**
 * Rewrites a PCRE pattern for java.util.regex. The differences that matter: inside brackets Java
 * knows nested classes, intersections and (in comments mode) ignores spaces, PCRE has {@code
 * [:alpha:]}; a brace that starts no quantifier is a plain character to PCRE; PCRE has more ways to
 * write groups and references, and comments in {@code (?#...)}.
 */
final class PcreSyntax {
  private static final Map<String, String> POSIX =
      Map.ofEntries(
          Map.entry("alnum", "\\p{Alnum}"),
          Map.entry("alpha", "\\p{Alpha}"),
          Map.entry("ascii", "\\p{ASCII}"),
          Map.entry("blank", "\\p{Blank}"),
          Map.entry("cntrl", "\\p{Cntrl}"),
          Map.entry("digit", "\\p{Digit}"),
          Map.entry("graph", "\\p{Graph}"),
          Map.entry("lower", "\\p{Lower}"),
          Map.entry("print", "\\p{Print}"),
          Map.entry("punct", "\\p{Punct}"),
          Map.entry("space", "\\s"),
          Map.entry("upper", "\\p{Upper}"),
          Map.entry("word", "\\w"),
          Map.entry("xdigit", "\\p{XDigit}"));
  private static final Set<String> START_VERBS = Set.of("(*UTF8)", "(*UTF)", "(*UCP)");

  private final String pattern;
  private final boolean isExtended;
  private final StringBuilder out = new StringBuilder();
  private int at;

  PcreSyntax(String pattern, boolean isExtended) {
    this.pattern = pattern;
    this.isExtended = isExtended;
  }

  String translate() {
    skipStartVerbs();
    while (at < pattern.length()) {
      char c = pattern.charAt(at);
      switch (c) {
        case '\\' -> escape(false);
        case '[' -> bracket();
        case '(' -> group();
        case '{' -> brace();
        default -> {
          out.append(c);
          at++;
        }
      }
    }
    return out.toString();
  }

  private void skipStartVerbs() {
    for (String verb : START_VERBS) {
      if (pattern.startsWith(verb, at)) {
        at += verb.length();
        skipStartVerbs();
        return;
      }
    }
  }

  private void escape(boolean isInBracket) {
    if (at + 1 == pattern.length()) {
      throw new PatternSyntaxException("Unescaped trailing backslash", pattern, at);
    }
    char c = pattern.charAt(at + 1);
    if (c == 'Q') {
      quote();
    } else if (c == 'p' || c == 'P') {
      property(c);
    } else if (!isInBracket && (c == 'k' || c == 'g')) {
      reference();
    } else if (!isInBracket && c == 'N' && !pattern.startsWith("{", at + 2)) {
      out.append("[^\\n]");
      at += 2;
    } else if (isInBracket && c == 'b') {
      out.append("\\x08");
      at += 2;
    } else {
      out.append('\\').append(c);
      at += 2;
    }
  }

  /** {@code \Q...\E}, character by character so that what surrounds it doesn't matter. */
  private void quote() {
    int end = pattern.indexOf("\\E", at + 2);
    int stop = end < 0 ? pattern.length() : end;
    for (int i = at + 2; i < stop; i++) {
      literal(pattern.charAt(i));
    }
    at = end < 0 ? stop : end + 2;
  }

  private void literal(char c) {
    if (c < 0x80 && !Character.isLetterOrDigit(c)) {
      out.append('\\');
    }
    out.append(c);
  }

  /** {@code \p{Greek}}: Java wants scripts marked. */
  private void property(char letter) {
    int close = pattern.indexOf('}', at);
    if (!pattern.startsWith("{", at + 2) || close < 0) {
      out.append('\\').append(letter);
      at += 2;
      return;
    }
    String name = pattern.substring(at + 3, close);
    boolean isNegated = name.startsWith("^");
    String bare = isNegated ? name.substring(1) : name;
    char sign = isNegated == (letter == 'p') ? 'P' : 'p';
    if (bare.equals("L&")) {
      out.append('\\').append(sign).append("{LC}");
    } else if (bare.equals("Any")) {
      out.append(sign == 'p' ? "[\\s\\S]" : "[^\\s\\S]");
    } else {
      out.append('\\').append(sign).append('{');
      out.append(bare.length() > 2 ? "Is" : "").append(bare).append('}');
    }
    at = close + 1;
  }

  /** {@code \g1 \g{1} \g{name} \k{name} \k'name'} become what Java has. */
  private void reference() {
    int open = at + 2;
    if (open >= pattern.length()) {
      throw new PatternSyntaxException("Illegal/unsupported escape sequence", pattern, at);
    }
    char first = pattern.charAt(open);
    int close =
        switch (first) {
          case '{' -> pattern.indexOf('}', open);
          case '<' -> pattern.indexOf('>', open);
          case '\'' -> pattern.indexOf('\'', open + 1);
          default -> -1;
        };
    String name;
    if (close >= 0) {
      name = pattern.substring(open + 1, close);
      at = close + 1;
    } else {
      int end = open;
      while (end < pattern.length() && Character.isDigit(pattern.charAt(end))) {
        end++;
      }
      name = pattern.substring(open, end);
      at = end;
    }
    boolean isNumber = !name.isEmpty() && name.chars().allMatch(Character::isDigit);
    out.append(isNumber ? "(?:\\" + name + ")" : "\\k<" + groupName(name) + ">");
  }

  /** Java allows no underscores in names; the letters put there instead are unlikely enough. */
  private static String groupName(String name) {
    return name.replace("_", "Zz0");
  }

  private void group() {
    if (pattern.startsWith("(?#", at)) {
      int end = pattern.indexOf(')', at);
      if (end < 0) {
        throw new PatternSyntaxException("Unclosed comment", pattern, at);
      }
      at = end + 1;
    } else if (pattern.startsWith("(?P=", at)) {
      int end = requireEnd(')');
      out.append("\\k<").append(groupName(pattern.substring(at + 4, end))).append('>');
      at = end + 1;
    } else if (pattern.startsWith("(?P<", at)) {
      named(at + 4, '>');
    } else if (pattern.startsWith("(?'", at)) {
      named(at + 3, '\'');
    } else if (isNamed()) {
      named(at + 3, '>');
    } else {
      out.append('(');
      at++;
    }
  }

  private boolean isNamed() {
    return pattern.startsWith("(?<", at)
        && !pattern.startsWith("(?<=", at)
        && !pattern.startsWith("(?<!", at);
  }

  private void named(int start, char close) {
    int end = pattern.indexOf(close, start);
    if (end < 0) {
      throw new PatternSyntaxException("Unclosed name", pattern, at);
    }
    out.append("(?<").append(groupName(pattern.substring(start, end))).append('>');
    at = end + 1;
  }

  private int requireEnd(char close) {
    int end = pattern.indexOf(close, at);
    if (end < 0) {
      throw new PatternSyntaxException("Unclosed group", pattern, at);
    }
    return end;
  }

  /** A brace is a quantifier only in the forms {n}, {n,} and {n,m}. */
  private void brace() {
    int end = at + 1;
    while (end < pattern.length() && Character.isDigit(pattern.charAt(end))) {
      end++;
    }
    boolean hasDigits = end > at + 1;
    if (end < pattern.length() && pattern.charAt(end) == ',') {
      end++;
      while (end < pattern.length() && Character.isDigit(pattern.charAt(end))) {
        end++;
      }
    }
    if (hasDigits && end < pattern.length() && pattern.charAt(end) == '}') {
      out.append(pattern, at, end + 1);
      at = end + 1;
    } else {
      out.append("\\{");
      at++;
    }
  }

  private void bracket() {
    int start = at;
    out.append('[');
    at++;
    if (pattern.startsWith("^", at)) {
      out.append('^');
      at++;
    }
    boolean isFirst = true;
    while (at < pattern.length()) {
      char c = pattern.charAt(at);
      if (c == ']' && !isFirst) {
        out.append(']');
        at++;
        return;
      }
      isFirst = false;
      if (c == '\\') {
        escape(true);
      } else if (c != '[' || !posixClass()) {
        bracketCharacter(c);
        at++;
      }
    }
    throw new PatternSyntaxException("Unclosed character class", pattern, start);
  }

  private void bracketCharacter(char c) {
    boolean isSpecial = c == '[' || c == ']' || c == '&' || c == '^';
    boolean isIgnored = isExtended && (Character.isWhitespace(c) || c == '#');
    if (isSpecial || isIgnored) {
      out.append('\\');
    }
    out.append(c);
  }

  private boolean posixClass() {
    int end = pattern.indexOf(":]", at);
    if (!pattern.startsWith("[:", at) || end < 0) {
      return false;
    }
    String name = pattern.substring(at + 2, end);
    boolean isNegated = name.startsWith("^");
    String known = POSIX.get(isNegated ? name.substring(1) : name);
    if (known == null) {
      throw new PatternSyntaxException("Unknown POSIX class name", pattern, at);
    }
    out.append(isNegated ? "[^" + known + "]" : known);
    at = end + 2;
    return true;
  }

  /** PCRE's words for an error that Java describes in its own. */
  static String message(String description) {
    for (Map.Entry<String, String> known : MESSAGES.entrySet()) {
      if (description.startsWith(known.getKey())) {
        return known.getValue();
      }
    }
    return description;
  }

  private static final Map<String, String> MESSAGES =
      Map.ofEntries(
          Map.entry("Bad intersection", "missing terminating ] for character class"),
          Map.entry("Dangling meta", "quantifier does not follow a repeatable item"),
          Map.entry("Illegal character range", "range out of order in character class"),
          Map.entry(
              "Illegal hexadecimal", "character code point value in \\x{} or \\o{} is too large"),
          Map.entry("Illegal repetition range", "numbers out of order in {} quantifier"),
          Map.entry("Illegal/unsupported escape", "unrecognized character follows \\"),
          Map.entry("Look-behind", "lookbehind assertion is not fixed length"),
          Map.entry(
              "Named capturing group <",
              "two named subpatterns have the same name (PCRE2_DUPNAMES not set)"),
          Map.entry("Unclosed character class", "missing terminating ] for character class"),
          Map.entry("Unclosed comment", "missing ) after (?# comment"),
          Map.entry("Unclosed group", "missing closing parenthesis"),
          Map.entry("Unclosed name", "syntax error in subpattern name (missing terminator?)"),
          Map.entry("Unescaped trailing backslash", "\\ at end of pattern"),
          Map.entry("Unknown POSIX", "unknown POSIX class name"),
          Map.entry("Unknown character property", "unknown property after \\P or \\p"),
          Map.entry("Unknown group type", "unrecognized character after (? or (?-"),
          Map.entry("Unknown inline modifier", "unrecognized character after (? or (?-"),
          Map.entry("Unknown look-behind group", "unrecognized character after (?<"),
          Map.entry("Unmatched closing ')'", "unmatched closing parenthesis"),
          Map.entry("capturing group", "subpattern name expected"));
}
