package dev.orrery.language.text;

import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * A search is words, phrases in quotes, and either of them with a minus after white space, which
 * leaves documents out. The words of phrases are searched as well, and then the phrase must be
 * somewhere in a text, letter by letter. A phrase that is not closed is none; with a minus before
 * it, neither are its words.
 */

/** A search for words, on the fields of one index. */
public final class TextSearch {
  private final TextFields fields;
  private final Request request;
  private final TextLanguage language;
  private final Set<String> terms = new LinkedHashSet<>();
  private final Set<String> wanted = new HashSet<>();
  private final Set<String> unwanted = new HashSet<>();
  private final List<String> phrases = new ArrayList<>();
  private final List<String> unwantedPhrases = new ArrayList<>();

  /**
   * What is asked for.
   *
   * @param language null for that of the index
   */
  public record Request(
      String search,
      @Nullable TextLanguage language,
      boolean isCaseSensitive,
      boolean isDiacriticSensitive) {}

  public TextSearch(Request request, TextFields fields) {
    this.fields = fields;
    this.request = request;
    this.language = request.language == null ? fields.language() : request.language;
    new Parser().parse(request.search);
  }

  /** The terms of which a document must have one, as an index holds them. */
  public Set<String> terms() {
    return terms;
  }

  public TextLanguage language() {
    return language;
  }

  private boolean keepsMarks() {
    return request.isDiacriticSensitive || fields.keepsMarks();
  }

  private Tokens tokens(TextLanguage spoken) {
    return new Tokens(spoken, request.isCaseSensitive, keepsMarks());
  }

  /** What a document scores; null if it does not match. */
  public @Nullable Double score(RawDocument document) {
    Map<String, Double> scores = fields.scores(document);
    double sum = 0;
    boolean isFound = false;
    for (String term : terms) {
      Double score = scores.get(term);
      isFound |= score != null;
      sum += score == null ? 0 : score;
    }
    return isFound && matchesExactly(document) ? sum : null;
  }

  private boolean matchesExactly(RawDocument document) {
    boolean isPlain = !request.isCaseSensitive && !request.isDiacriticSensitive;
    if (isPlain && unwanted.isEmpty() && phrases.isEmpty() && unwantedPhrases.isEmpty()) {
      return true;
    }
    var look = new Look(isPlain);
    fields.forEach(document, look::at);
    return look.isMatch();
  }

  /** A second look at the texts of a document. */
  private final class Look {
    private final Set<String> missing = new HashSet<>(phrases);
    private boolean hasWanted;
    private boolean hasUnwanted;

    Look(boolean isWanted) {
      this.hasWanted = isWanted;
    }

    void at(String text, TextLanguage spoken, double weight) {
      tokens(spoken)
          .forEach(
              text,
              word -> {
                hasWanted |= wanted.contains(word);
                hasUnwanted |= unwanted.contains(word);
              });
      Tokens whole = tokens(language);
      String folded = whole.folded(text);
      missing.removeIf(phrase -> folded.contains(whole.folded(phrase)));
      hasUnwanted |=
          unwantedPhrases.stream().anyMatch(phrase -> folded.contains(whole.folded(phrase)));
    }

    boolean isMatch() {
      return hasWanted && !hasUnwanted && missing.isEmpty();
    }
  }

  /** Reads what users write. */
  private final class Parser {
    private boolean isNegated;
    private int phrase = -1;

    void parse(String search) {
      int start = -1;
      boolean isAfterSpace = true;
      for (int i = 0; i <= search.length(); i++) {
        char c = i == search.length() ? ' ' : search.charAt(i);
        boolean isSpace = Character.isWhitespace(c);
        if (!isSpace && c != '-' && c != '"') {
          start = start < 0 ? i : start;
        } else {
          if (start >= 0) {
            add(search.substring(start, i));
            start = -1;
          }
          delimit(search, i, c, isAfterSpace);
        }
        isAfterSpace = isSpace;
      }
    }

    private void delimit(String search, int at, char c, boolean isAfterSpace) {
      if (c == '-' && phrase < 0 && isAfterSpace) {
        isNegated = true;
      } else if (c == '"' && phrase < 0) {
        phrase = at + 1;
      } else if (c == '"') {
        (isNegated ? unwantedPhrases : phrases).add(search.substring(phrase, at));
        phrase = -1;
        isNegated = false;
      }
    }

    private static void add(String word, Set<String> words) {
      words.add(word);
      Tokens.requireRoom(words.size());
    }

    private void add(String text) {
      if (isNegated && phrase >= 0) {
        return;
      }
      if (!isNegated) {
        new Tokens(language, false, fields.keepsMarks()).forEach(text, word -> add(word, terms));
      }
      Set<String> words = isNegated ? unwanted : wanted;
      tokens(language).forEach(text, word -> add(word, words));
      isNegated = false;
    }
  }
}
