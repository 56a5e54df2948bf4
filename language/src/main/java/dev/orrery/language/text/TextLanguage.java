package dev.orrery.language.text;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tartarus.snowball.SnowballStemmer;
import org.tartarus.snowball.ext.DanishStemmer;
import org.tartarus.snowball.ext.DutchStemmer;
import org.tartarus.snowball.ext.EnglishStemmer;
import org.tartarus.snowball.ext.FinnishStemmer;
import org.tartarus.snowball.ext.FrenchStemmer;
import org.tartarus.snowball.ext.GermanStemmer;
import org.tartarus.snowball.ext.HungarianStemmer;
import org.tartarus.snowball.ext.ItalianStemmer;
import org.tartarus.snowball.ext.NorwegianStemmer;
import org.tartarus.snowball.ext.PortugueseStemmer;
import org.tartarus.snowball.ext.RomanianStemmer;
import org.tartarus.snowball.ext.RussianStemmer;
import org.tartarus.snowball.ext.SpanishStemmer;
import org.tartarus.snowball.ext.SwedishStemmer;
import org.tartarus.snowball.ext.TurkishStemmer;

/** A language: which words say nothing, and what is the stem of the others. */
public final class TextLanguage {
  public static final TextLanguage NONE = new TextLanguage("none", null, null);
  public static final TextLanguage ENGLISH =
      new TextLanguage("english", EnglishStemmer::new, "snowball/english_stop");

  private static final Map<String, TextLanguage> BY_NAME = new HashMap<>();

  static {
    add("none", NONE);
    add("en", ENGLISH);
    add("da", new TextLanguage("danish", DanishStemmer::new, "snowball/danish_stop"));
    add("de", new TextLanguage("german", GermanStemmer::new, "snowball/german_stop"));
    add("es", new TextLanguage("spanish", SpanishStemmer::new, "snowball/spanish_stop"));
    add("fi", new TextLanguage("finnish", FinnishStemmer::new, "snowball/finnish_stop"));
    add("fr", new TextLanguage("french", FrenchStemmer::new, "snowball/french_stop"));
    add("hu", new TextLanguage("hungarian", HungarianStemmer::new, "snowball/hungarian_stop"));
    add("it", new TextLanguage("italian", ItalianStemmer::new, "snowball/italian_stop"));
    add("nb", new TextLanguage("norwegian", NorwegianStemmer::new, "snowball/norwegian_stop"));
    add("nl", new TextLanguage("dutch", DutchStemmer::new, "snowball/dutch_stop"));
    add("pt", new TextLanguage("portuguese", PortugueseStemmer::new, "snowball/portuguese_stop"));
    add("ro", new TextLanguage("romanian", RomanianStemmer::new, "ro/stopwords"));
    add("ru", new TextLanguage("russian", RussianStemmer::new, "snowball/russian_stop"));
    add("sv", new TextLanguage("swedish", SwedishStemmer::new, "snowball/swedish_stop"));
    add("tr", new TextLanguage("turkish", TurkishStemmer::new, "tr/stopwords"));
  }

  private final String name;
  private final @Nullable Supplier<SnowballStemmer> stemmers;
  private final Set<String> stopWords;

  private TextLanguage(
      String name, @Nullable Supplier<SnowballStemmer> stemmers, @Nullable String stopWords) {
    this.name = name;
    this.stemmers = stemmers;
    this.stopWords = stopWords == null ? Set.of() : read(stopWords);
  }

  private static void add(String code, TextLanguage language) {
    BY_NAME.put(code, language);
    BY_NAME.put(language.name, language);
  }

  /** A list with one word in a line; what follows a bar or a hash is a comment. */
  private static Set<String> read(String list) {
    String file = "/org/apache/lucene/analysis/" + list + ".txt";
    try (var stream = SnowballStemmer.class.getResourceAsStream(file);
        var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      Set<String> words = new HashSet<>();
      List<String> lines = reader.lines().toList();
      for (String line : lines) {
        String word = line.split("[|#]", 2)[0].strip();
        if (!word.isEmpty()) {
          words.addAll(List.of(word.split("\\s+")));
        }
      }
      return Set.copyOf(words);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The language of that name or code, whatever its case; null if it is not known. */
  public static @Nullable TextLanguage find(String name) {
    return BY_NAME.get(name.toLowerCase(Locale.ROOT));
  }

  public String name() {
    return name;
  }

  boolean isEnglish() {
    return this == ENGLISH;
  }

  boolean isTurkish() {
    return name.equals("turkish");
  }

  boolean isStopWord(String word) {
    return stopWords.contains(word);
  }

  /** Somebody who finds stems, for one thread; null if words are left as they are. */
  @Nullable SnowballStemmer newStemmer() {
    return stemmers == null ? null : stemmers.get();
  }
}
