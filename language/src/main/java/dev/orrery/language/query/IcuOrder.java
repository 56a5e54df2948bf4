package dev.orrery.language.query;

import com.ibm.icu.text.Collator;
import com.ibm.icu.text.RuleBasedCollator;
import com.ibm.icu.util.ULocale;
import dev.orrery.language.error.BsonText;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.util.Map;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** The order of strings under a collation, by ICU; shared between threads. */
final class IcuOrder implements StringOrder {
  private static final Map<Integer, Integer> STRENGTHS =
      Map.of(
          1, Collator.PRIMARY,
          2, Collator.SECONDARY,
          3, Collator.TERTIARY,
          4, Collator.QUATERNARY,
          5, Collator.IDENTICAL);

  private final RuleBasedCollator collator;
  private final BsonDocument specification;

  private IcuOrder(RuleBasedCollator collator, BsonDocument specification) {
    this.collator = collator;
    this.specification = specification;
  }

  /** The order for a collation document whose fields have been checked. */
  static IcuOrder of(BsonDocument document) {
    var locale = new ULocale(document.getString("locale").getValue());
    var collator = (RuleBasedCollator) Collator.getInstance(locale).cloneAsThawed();
    requireKnownLocale(document, collator);
    configure(collator, document);
    var specification = specification(document.getString("locale"), collator);
    collator.freeze();
    return new IcuOrder(collator, specification);
  }

  @Override
  public int compare(String left, String right) {
    return collator.compare(left, right);
  }

  @Override
  public byte[] sortKey(String text) {
    return collator.getCollationKey(text).toByteArray();
  }

  BsonDocument specification() {
    return specification;
  }

  /** MongoDB accepts a locale only in exactly the form that ICU answers with. */
  private static void requireKnownLocale(BsonDocument document, RuleBasedCollator collator) {
    String asked = document.getString("locale").getValue();
    if (asked.isEmpty()) {
      throw FilterParser.badValue(
          "Field 'locale' cannot be the empty string in: " + BsonText.document(document));
    }
    String known = collator.getLocale(ULocale.VALID_LOCALE).getName();
    if (!asked.equals(known)) {
      boolean hasSuggestion = !known.isEmpty() && !known.equals("root");
      throw FilterParser.badValue(
          "Field 'locale' is invalid in: "
              + BsonText.document(document)
              + (hasSuggestion ? ". Did you mean '" + known + "'?" : ""));
    }
  }

  private static void configure(RuleBasedCollator collator, BsonDocument document) {
    if (document.containsKey("caseLevel")) {
      collator.setCaseLevel(isTrue(document, "caseLevel"));
    }
    if (document.containsKey("caseFirst")) {
      String first = document.getString("caseFirst").getValue();
      collator.setUpperCaseFirst(first.equals("upper"));
      if (first.equals("lower")) {
        collator.setLowerCaseFirst(true);
      }
    }
    if (document.containsKey("strength")) {
      var strength = IntegerArgument.truncatedLong(RawValue.of(document.get("strength")));
      collator.setStrength(STRENGTHS.get(strength.intValue()));
    }
    if (document.containsKey("numericOrdering")) {
      collator.setNumericCollation(isTrue(document, "numericOrdering"));
    }
    if (document.containsKey("alternate")) {
      boolean isShifted = document.getString("alternate").getValue().equals("shifted");
      collator.setAlternateHandlingShifted(isShifted);
    }
    if (document.containsKey("maxVariable")) {
      boolean isSpace = document.getString("maxVariable").getValue().equals("space");
      collator.setMaxVariable(
          isSpace ? Collator.ReorderCodes.SPACE : Collator.ReorderCodes.PUNCTUATION);
    }
    if (document.containsKey("normalization")) {
      collator.setDecomposition(
          isTrue(document, "normalization")
              ? Collator.CANONICAL_DECOMPOSITION
              : Collator.NO_DECOMPOSITION);
    }
    if (document.containsKey("backwards")) {
      collator.setFrenchCollation(isTrue(document, "backwards"));
    }
  }

  private static boolean isTrue(BsonDocument document, String name) {
    return document.getBoolean(name).getValue();
  }

  private static BsonDocument specification(BsonString locale, RuleBasedCollator collator) {
    return new BsonDocument("locale", locale)
        .append("caseLevel", BsonBoolean.valueOf(collator.isCaseLevel()))
        .append("caseFirst", new BsonString(caseFirst(collator)))
        .append("strength", new BsonInt32(strength(collator)))
        .append("numericOrdering", BsonBoolean.valueOf(collator.getNumericCollation()))
        .append(
            "alternate",
            new BsonString(collator.isAlternateHandlingShifted() ? "shifted" : "non-ignorable"))
        .append(
            "maxVariable",
            new BsonString(
                collator.getMaxVariable() == Collator.ReorderCodes.SPACE ? "space" : "punct"))
        .append(
            "normalization",
            BsonBoolean.valueOf(collator.getDecomposition() != Collator.NO_DECOMPOSITION))
        .append("backwards", BsonBoolean.valueOf(collator.isFrenchCollation()))
        .append("version", new BsonString(Collation.VERSION));
  }

  private static String caseFirst(RuleBasedCollator collator) {
    if (collator.isUpperCaseFirst()) {
      return "upper";
    }
    return collator.isLowerCaseFirst() ? "lower" : "off";
  }

  private static int strength(RuleBasedCollator collator) {
    for (var entry : STRENGTHS.entrySet()) {
      if (entry.getValue() == collator.getStrength()) {
        return entry.getKey();
      }
    }
    throw new IllegalStateException("unknown strength " + collator.getStrength());
  }
}
