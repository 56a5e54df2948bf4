package dev.orrery.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One source file, and what {@link TidyTest} wants to know of it. */
final class JavaSource {
  /**
   * A method or constructor: its name, its first line, its length and its parameters.
   *
   * @param assigned the parameters that it gives other values
   */
  record Method(String name, int line, int lines, int parameters, List<String> assigned) {}

  private static final Pattern METHOD =
      Pattern.compile(
          "^(?:@\\w+(?:\\([^)]*\\))?\\s+)*[\\w<>\\[\\],.?&\\s]*?\\b(\\w+)\\s*"
              + "\\((.*)\\)\\s*(?:throws\\s+[\\w.,\\s]+)?$",
          Pattern.DOTALL);
  private static final Pattern NO_METHOD =
      Pattern.compile(
          "^(?:if|for|while|switch|try|catch|do|else|synchronized|return|throw|new)\\b|->|="
              + "|\\b(?:class|interface|enum|record|new)\\s");
  private static final Pattern LAST_WORD = Pattern.compile("\\b(\\w+)\\s*(?=,|$)");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:static )?(dev\\.orrery\\.[\\w.]+);");

  private final Path path;
  private final String text;
  private final String code;
  private final List<String> lines;

  private JavaSource(Path path, String text) {
    this.path = path;
    this.text = text;
    this.code = blankOut(text);
    this.lines = text.lines().toList();
  }

  static JavaSource read(Path path) {
    try {
      return new JavaSource(path, Files.readString(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JavaSource of(String text) {
    return new JavaSource(Path.of("Example.java"), text);
  }

  String fileName() {
    return path.getFileName().toString();
  }

  boolean isTest() {
    return path.toString().contains("src/test/");
  }

  String text() {
    return text;
  }

  /** The text with comments and the insides of strings blanked; positions stay the same. */
  String code() {
    return code;
  }

  List<String> lines() {
    return lines;
  }

  String packageName() {
    Matcher matcher = PACKAGE.matcher(text);
    return matcher.find() ? matcher.group(1) : "";
  }

  /** What is imported of Orrery's own. */
  List<String> imports() {
    var imports = new ArrayList<String>();
    Matcher matcher = IMPORT.matcher(text);
    while (matcher.find()) {
      imports.add(matcher.group(1));
    }
    return imports;
  }

  int lineOf(int position) {
    int line = 1;
    for (int i = 0; i < position; i++) {
      if (text.charAt(i) == '\n') {
        line++;
      }
    }
    return line;
  }

  List<Method> methods() {
    var methods = new ArrayList<Method>();
    var open = new ArrayDeque<Integer>();
    for (int i = 0; i < code.length(); i++) {
      if (code.charAt(i) == '{') {
        open.push(i);
      } else if (code.charAt(i) == '}' && !open.isEmpty()) {
        addMethod(methods, open.pop(), i);
      }
    }
    return methods;
  }

  private void addMethod(List<Method> methods, int open, int close) {
    int start = open;
    while (start > 0 && ";{}".indexOf(code.charAt(start - 1)) < 0) {
      start--;
    }
    String header = code.substring(start, open).strip();
    Matcher matcher = METHOD.matcher(header);
    if (NO_METHOD.matcher(header).find() || !matcher.matches()) {
      return;
    }
    int first = lineOf(start + code.substring(start, open).indexOf(header));
    int lines = lineOf(close) - first + 1;
    List<String> assigned = assigned(matcher.group(2), code.substring(open, close));
    methods.add(new Method(matcher.group(1), first, lines, count(matcher.group(2)), assigned));
  }

  private static List<String> assigned(String parameters, String body) {
    var names = new ArrayList<String>();
    Matcher last = LAST_WORD.matcher(parameters);
    while (last.find()) {
      String assignment =
          "(?<![\\w.])%s\\s*(?:[-+*/%%|&^]|<<|>>>?)?=(?!=)|(?<![\\w.])%1$s(?:\\+\\+|--)";
      if (Pattern.compile(assignment.formatted(last.group(1))).matcher(body).find()) {
        names.add(last.group(1));
      }
    }
    return names;
  }

  private static int count(String parameters) {
    if (parameters.isBlank()) {
      return 0;
    }
    int depth = 0;
    int count = 1;
    for (char c : parameters.toCharArray()) {
      if ("<([".indexOf(c) >= 0) {
        depth++;
      } else if (">)]".indexOf(c) >= 0) {
        depth--;
      } else if (c == ',' && depth == 0) {
        count++;
      }
    }
    return count;
  }

  /**
   * The first text of each entry of the list that the bracket at {@code open} begins: the literals
   * at its own level, and those that begin a call one level down.
   */
  List<String> keysAfter(int open) {
    var keys = new ArrayList<String>();
    int depth = 1;
    char before = '(';
    for (int i = open + 1; i < code.length() && depth > 0; i++) {
      char c = code.charAt(i);
      if (c == '(') {
        depth++;
      } else if (c == ')') {
        depth--;
      } else if (c == '"') {
        int end = code.indexOf('"', i + 1);
        if (depth == 1 || depth == 2 && before == '(') {
          keys.add(text.substring(i + 1, end));
        }
        i = end;
      }
      if (!Character.isWhitespace(c)) {
        before = c;
      }
    }
    return keys;
  }

  private static String blankOut(String text) {
    var code = new StringBuilder(text);
    int i = 0;
    while (i < text.length()) {
      int end = endOfOpaque(text, i);
      if (end == i) {
        i++;
        continue;
      }
      boolean isQuoted = text.charAt(i) != '/';
      for (int j = isQuoted ? i + 1 : i; j < (isQuoted ? end - 1 : end); j++) {
        if (text.charAt(j) != '\n') {
          code.setCharAt(j, ' ');
        }
      }
      i = end;
    }
    return code.toString();
  }

  /** Where the comment or literal that begins at {@code i} ends; {@code i} if none begins. */
  private static int endOfOpaque(String text, int i) {
    if (text.startsWith("//", i)) {
      return indexOr(text, "\n", i, 0);
    }
    if (text.startsWith("/*", i)) {
      return indexOr(text, "*/", i + 2, 2);
    }
    if (text.startsWith("\"\"\"", i)) {
      return indexOr(text, "\"\"\"", i + 3, 3);
    }
    char quote = text.charAt(i);
    if (quote != '"' && quote != '\'') {
      return i;
    }
    int end = i + 1;
    while (end < text.length() && text.charAt(end) != quote) {
      end += text.charAt(end) == '\\' ? 2 : 1;
    }
    return Math.min(end + 1, text.length());
  }

  private static int indexOr(String text, String mark, int from, int beyond) {
    int found = text.indexOf(mark, from);
    return found < 0 ? text.length() : found + beyond;
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
