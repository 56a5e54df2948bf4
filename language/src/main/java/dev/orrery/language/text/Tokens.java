package dev.orrery.language.text;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UProperty;
import com.ibm.icu.text.Normalizer2;
import dev.orrery.lane.Lane;
import dev.orrery.language.expression.Work;
import dev.orrery.language.limit.Allowance;
import java.util.Locale;
import java.util.function.Consumer;
import org.tartarus.snowball.SnowballStemmer;

/*
 * Words end where a character has one of the properties Dash, Hyphen, Pattern_Syntax,
 * Quotation_Mark, Terminal_Punctuation and White_Space; only in English an apostrophe belongs to
 * its word. A word in small letters is looked up among the stop words, then its stem is taken, both
 * with its diacritics; these are left out in the end.
 */

/**
 * Takes texts apart into words.
 *
 * @param keepsCase whether capital letters stay what they are
 * @param keepsMarks whether diacritics stay where they are
 */
record Tokens(TextLanguage language, boolean keepsCase, boolean keepsMarks) {
  private static final Normalizer2 DECOMPOSED = Normalizer2.getNFDInstance();

  /** Longer texts take too long for an event loop. */
  private static final int LENGTH_MANY = 20_000;

  private static final Locale TURKISH = Locale.forLanguageTag("tr");

  /** What a term takes in sets, maps and keys, about; and how many of them are nothing yet. */
  private static final long TERM_BYTES = 300;

  private static final int TERMS_FEW = 1_024;

  /** Throws when there is no memory for so many terms; to be called with each one that is added. */
  static void requireRoom(int terms) {
    if (terms % TERMS_FEW == 0 && terms > 0) {
      Allowance.current().fit(terms * TERM_BYTES);
    }
  }

  /** Hands over the words in their order, without those that say nothing. */
  void forEach(String text, Consumer<String> taker) {
    Work.countBytes(text.length());
    if (text.length() > LENGTH_MANY) {
      Lane.requireMayWait();
    }
    Allowance allowance = Allowance.current();
    SnowballStemmer stemmer = language.newStemmer();
    int start = -1;
    for (int i = 0; i <= text.length(); ) {
      int point = i == text.length() ? ' ' : text.codePointAt(i);
      if (!isDelimiter(point)) {
        start = start < 0 ? i : start;
      } else if (start >= 0) {
        allowance.step();
        hand(text.substring(start, i), stemmer, taker);
        start = -1;
      }
      i += Character.charCount(point);
    }
  }

  private boolean isDelimiter(int point) {
    if (point < 128) {
      boolean isWord =
          Character.isLetterOrDigit(point)
              || point == '_'
              || Character.isISOControl(point) && !Character.isWhitespace(point);
      return !isWord && !(point == '\'' && language.isEnglish());
    }
    return UCharacter.hasBinaryProperty(point, UProperty.DASH)
        || UCharacter.hasBinaryProperty(point, UProperty.HYPHEN)
        || UCharacter.hasBinaryProperty(point, UProperty.PATTERN_SYNTAX)
        || UCharacter.hasBinaryProperty(point, UProperty.QUOTATION_MARK)
        || UCharacter.hasBinaryProperty(point, UProperty.TERMINAL_PUNCTUATION)
        || UCharacter.hasBinaryProperty(point, UProperty.WHITE_SPACE);
  }

  private void hand(String written, SnowballStemmer stemmer, Consumer<String> taker) {
    String small = small(written);
    if (language.isStopWord(small)) {
      return;
    }
    String word = keepsCase ? written : small;
    if (stemmer != null) {
      stemmer.setCurrent(word);
      stemmer.stem();
      word = stemmer.getCurrent();
    }
    taker.accept(keepsMarks ? word : withoutMarks(word));
  }

  private String small(String text) {
    return text.toLowerCase(language.isTurkish() ? TURKISH : Locale.ROOT);
  }

  /** A text as it is compared as a whole: with or without its capitals and marks. */
  String folded(String text) {
    String small = keepsCase ? text : small(text);
    return keepsMarks ? small : withoutMarks(small);
  }

  private static String withoutMarks(String text) {
    if (text.chars().allMatch(c -> c < 128)) {
      return text;
    }
    var plain = new StringBuilder();
    DECOMPOSED
        .normalize(text)
        .codePoints()
        .filter(point -> Character.getType(point) != Character.NON_SPACING_MARK)
        .forEach(plain::appendCodePoint);
    return plain.toString();
  }
}
