package dev.orrery.language.text;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/*
 * The score of a term in a text is
 *
 *   weight * (1 + 1/2 + 1/4 + ... for each time) * (0.5 * times / words + 0.5)
 *
 * and a tenth more if the text is nothing but the term. The texts of a document are added up, each
 * element of an array by itself. There is no such thing as a term that is rare in the collection.
 */

/** What a text index looks at: its fields and what they weigh, and the languages of texts. */
public final class TextFields {
  public static final String EVERYTHING = "$**";
  private static final double SCORE_MAX = 1e9;

  private final SortedMap<String, Double> weights = new TreeMap<>();
  private final boolean isWildcard;
  private final TextLanguage language;
  private final String override;
  private final boolean keepsMarks;

  private TextFields(BsonDocument index) {
    for (Map.Entry<String, BsonValue> weight : index.getDocument("weights").entrySet()) {
      weights.put(weight.getKey(), weight.getValue().asNumber().doubleValue());
    }
    this.isWildcard = weights.containsKey(EVERYTHING);
    TextLanguage found = TextLanguage.find(index.getString("default_language").getValue());
    this.language = found == null ? TextLanguage.ENGLISH : found;
    this.override = index.getString("language_override").getValue();
    this.keepsMarks = index.getNumber("textIndexVersion").intValue() < 3;
  }

  /** Reads the description of an index that was accepted before. */
  public static TextFields of(BsonDocument index) {
    return new TextFields(index);
  }

  /** The language of texts and searches that do not say theirs. */
  public TextLanguage language() {
    return language;
  }

  /** Whether diacritics make another word. */
  boolean keepsMarks() {
    return keepsMarks;
  }

  /** Looks at a text. */
  interface Visitor {
    void visit(String text, TextLanguage language, double weight);
  }

  /** Visits every text of a document that the index looks at. */
  void forEach(RawDocument document, Visitor visitor) {
    visit(document, "", false, new Place(language, visitor, true));
  }

  /**
   * Where a visit is.
   *
   * @param isNamed whether no name on the way has a dot in it, which no path means
   */
  private record Place(TextLanguage language, Visitor visitor, boolean isNamed) {}

  private void visit(RawDocument document, String parent, boolean isArray, Place above) {
    TextLanguage spoken = isArray ? above.language : languageOf(document, above);
    RawElements elements = document.elements();
    while (elements.next()) {
      String name = elements.name();
      if (isWildcard && name.equals(override)) {
        continue;
      }
      String inner = isArray ? parent : parent + "." + name;
      var place = new Place(spoken, above.visitor, above.isNamed && name.indexOf('.') < 0);
      visitValue(elements.value(), parent.isEmpty() ? name : inner, isArray, place);
    }
  }

  private void visitValue(RawValue value, String path, boolean isInArray, Place place) {
    boolean isNamed = place.isNamed;
    boolean isExact = isNamed && weights.containsKey(path);
    boolean leadsOn = !weights.subMap(path + ".", path + "/").isEmpty();
    if (!isWildcard && !isExact && !leadsOn) {
      return;
    }
    if (value.type() == RawTypes.STRING && (isExact || isWildcard)) {
      double weight = isExact ? weights.get(path) : 1; // whatever the weight of $** is
      place.visitor.visit(value.asString(), place.language, weight);
    } else if (value.isDocument() && (!isExact || isWildcard)) {
      visit(value.asDocument(), path, false, place);
    } else if (value.isArray() && (!isInArray || isWildcard)) {
      visit(value.asDocument(), path, true, place);
    }
  }

  private TextLanguage languageOf(RawDocument document, Place above) {
    RawValue own = document.field(override);
    if (own == null) {
      return above.language;
    }
    if (own.type() != RawTypes.STRING) {
      throw new CommandException(
          ErrorCode.LOCATION_17261,
          "found language override field in document with non-string type");
    }
    TextLanguage found = TextLanguage.find(own.asString());
    if (found == null) {
      throw new CommandException(
          ErrorCode.LOCATION_17262, "language override unsupported: " + own.asString());
    }
    return found;
  }

  /** The terms of a document, and what it scores for each. */
  public Map<String, Double> scores(RawDocument document) {
    Map<String, Double> scores = new HashMap<>();
    forEach(document, (text, spoken, weight) -> add(text, spoken, weight, scores));
    return scores;
  }

  /** Whether a text is a term; only capitals from A to Z make no difference. */
  private static boolean isSame(String text, String term) {
    if (text.length() != term.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c >= 'A' && c <= 'Z' ? (char) (c + 32) : c) != term.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private void add(String text, TextLanguage spoken, double weight, Map<String, Double> scores) {
    Map<String, Integer> times = new HashMap<>();
    new Tokens(spoken, false, keepsMarks)
        .forEach(
            text,
            word -> {
              times.merge(word, 1, Integer::sum);
              Tokens.requireRoom(times.size() + scores.size());
            });
    int words = times.values().stream().mapToInt(Integer::intValue).sum();
    for (Map.Entry<String, Integer> term : times.entrySet()) {
      double frequency = 2 - Math.pow(0.5, term.getValue() - 1.0);
      double share = 0.5 * term.getValue() / words + 0.5;
      double whole = isSame(text, term.getKey()) ? 1.1 : 1;
      double score = weight * frequency * share * whole;
      scores.merge(term.getKey(), score, (one, other) -> Math.min(one + other, SCORE_MAX));
    }
  }
}
