package dev.orrery.server.synthetic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.expression.SuffixExpression;
import dev.orrery.language.query.Equalities;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterParser;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A partition key that the server makes of other fields of a document. The field is written with
 * the document and stays true; filters that fix what it is made of fix the key, too.
 */
public final class SyntheticKey {
  /** The option of collections, and of the commands that make them. */
  public static final String OPTION = "synthetic";

  private static final String ID = "_id";
  private static final Set<String> UNSTEADY =
      Set.of("$accumulator", "$function", "$meta", "$rand", "$sampleRate");
  private static final Set<String> SUFFIXES = Set.of("$hashSuffix", "$randomSuffix");
  private static final Set<String> LITERALS = Set.of("$const", "$literal");
  private static final Set<String> VARIABLES =
      Set.of("$$CLUSTER_TIME", "$$NOW", "$$SEARCH_META", "$$USER_ROLES");

  private final BsonDocument definition;
  private final String name;
  private final byte[] nameBytes;
  private final Expression base;
  private final KeyInputs inputs;

  /** What decides about the suffix; null where there is none, or chance decides. */
  private final @Nullable Expression spread;

  private final @Nullable KeyInputs spreadInputs;

  /** How many suffixes there are; 0 without one. */
  private final int count;

  private SyntheticKey(BsonDocument definition) {
    this.definition = definition;
    this.name = definition.getFirstKey();
    this.nameBytes = name.getBytes(StandardCharsets.UTF_8);
    Expression whole = Expressions.parse(definition.get(name), ParseContext.at(0));
    SuffixExpression suffix = whole instanceof SuffixExpression one ? one : null;
    this.base = (suffix == null ? whole : suffix.base()).optimize();
    this.inputs = KeyInputs.of(base);
    this.count = suffix == null ? 0 : suffix.count();
    this.spread = suffix == null || suffix.spread() == null ? null : suffix.spread().optimize();
    this.spreadInputs = spread == null ? null : KeyInputs.of(spread);
  }

  /** The key of a collection; null if clients make it themselves. */
  public static @Nullable SyntheticKey of(CollectionInfo info) {
    BsonValue definition = info.options().get(OPTION);
    return definition == null ? null : new SyntheticKey(definition.asDocument());
  }

  /**
   * Checks a definition.
   *
   * @throws CommandException if no key can be made or found by it
   */
  public static SyntheticKey parse(BsonDocument definition) {
    if (definition.size() != 1) {
      throw bad("A synthetic shard key is one field with its expression");
    }
    String name = definition.getFirstKey();
    if (name.isEmpty() || name.startsWith("$") || name.indexOf('.') >= 0 || name.equals(ID)) {
      throw bad("'" + name + "' cannot be a synthetic shard key: it must be a plain field name");
    }
    BsonValue expression = definition.get(name);
    requireSteady(expression, true);
    var key = new SyntheticKey(definition);
    boolean readsItself =
        key.inputs.reads(name) || key.spreadInputs != null && key.spreadInputs.reads(name);
    if (readsItself) {
      throw bad("The synthetic shard key '" + name + "' cannot be made of itself");
    }
    if (key.inputs.isEmpty() && (key.spreadInputs == null || key.spreadInputs.isEmpty())) {
      throw bad("The synthetic shard key '" + name + "' must be made of at least one field");
    }
    return key;
  }

  private static CommandException bad(String message) {
    return new CommandException(ErrorCode.BAD_VALUE, message);
  }

  /** Refuses what gives another value for the same document, but for a suffix around it all. */
  private static void requireSteady(BsonValue value, boolean isOutermost) {
    if (value.isString()) {
      String text = value.asString().getValue();
      if (VARIABLES.stream().anyMatch(text::startsWith)) {
        throw bad("A synthetic shard key cannot depend on " + text);
      }
    } else if (value.isArray()) {
      value.asArray().forEach(inner -> requireSteady(inner, false));
    } else if (value.isDocument()) {
      value
          .asDocument()
          .forEach(
              (operator, argument) -> {
                if (UNSTEADY.contains(operator)) {
                  throw bad("A synthetic shard key cannot depend on " + operator);
                }
                if (SUFFIXES.contains(operator) && !isOutermost) {
                  throw bad(operator + " must be the outermost operator of a synthetic shard key");
                }
                if (!LITERALS.contains(operator)) {
                  requireSteady(argument, false);
                }
              });
    }
  }

  /** The field. */
  public String name() {
    return name;
  }

  /** Whether a document always gets the same key. */
  public boolean isSteady() {
    return count == 0 || spread != null;
  }

  /** The field with its expression. */
  public BsonDocument definition() {
    return definition;
  }

  /**
   * The values of which the partition key must have one for a document to match; null if the filter
   * leaves it open. As {@link Equalities#fixedValues} tells, or as they follow from other fields.
   */
  public static @Nullable List<RawValue> fixedValues(CollectionInfo info, Filter filter) {
    List<RawValue> fixed = Equalities.fixedValues(filter, FieldPath.parse(info.partitionKey()));
    if (fixed != null) {
      return fixed;
    }
    SyntheticKey key = of(info);
    return key == null ? null : key.derive(filter);
  }

  /** The values that follow from what the filter says of other fields; null if none do. */
  public @Nullable List<RawValue> derive(Filter filter) {
    List<BsonDocument> bases = inputs.of(filter);
    if (bases == null) {
      return null;
    }
    List<BsonDocument> spreads = spreadInputs == null ? null : spreadInputs.of(filter);
    int each = spreads == null ? Math.max(1, count) : spreads.size();
    if ((long) bases.size() * each > KeyInputs.COMBINATIONS_MAX) {
      return null;
    }
    var values = new TreeSet<BsonValue>(BsonOrder.CANONICAL);
    try {
      bases.forEach(one -> addValues(one, spreads, values));
    } catch (CommandException e) {
      return null; // no such document could be stored; that is for those to find who look for it
    }
    return values.stream().map(RawValue::of).toList();
  }

  /** The filter for which documents have one of these keys. */
  public Filter filter(List<RawValue> values) {
    var any = new BsonArray();
    values.forEach(value -> any.add(value.toBsonValue()));
    return FilterParser.parse(
        new BsonDocument(
            name,
            values.size() == 1
                ? new BsonDocument("$eq", any.get(0))
                : new BsonDocument("$in", any)));
  }

  private void addValues(
      BsonDocument given, @Nullable List<BsonDocument> spreads, Set<BsonValue> values) {
    BsonValue value = evaluate(base, given);
    if (count == 0) {
      values.add(value);
    } else if (spreads == null) {
      for (int number = 1; number <= count; number++) {
        values.add(SuffixExpression.suffixed(value, number));
      }
    } else {
      for (BsonDocument one : spreads) {
        values.add(SuffixExpression.suffixed(value, number(one)));
      }
    }
  }

  private int number(BsonDocument given) {
    return SuffixExpression.number(evaluate(spread, given), count);
  }

  private static BsonValue evaluate(Expression expression, BsonDocument given) {
    BsonValue value = expression.evaluate(new Scope(given));
    return value == null ? BsonNull.VALUE : value;
  }

  /**
   * A new key for a document.
   *
   * @throws CommandException if none can be made
   */
  public BsonValue of(RawDocument document) {
    return make(document);
  }

  private BsonValue make(RawDocument document) {
    BsonValue value = evaluate(base, inputs.of(document));
    if (count == 0) {
      return value;
    }
    int number =
        spread == null
            ? 1 + ThreadLocalRandom.current().nextInt(count)
            : number(spreadInputs.of(document));
    return SuffixExpression.suffixed(value, number);
  }

  /** Whether a document may have that key. */
  private boolean isTrue(RawDocument document, BsonValue key) {
    if (count == 0 || spread != null) {
      return isSame(make(document), key);
    }
    BsonValue value = evaluate(base, inputs.of(document));
    for (int number = 1; number <= count; number++) {
      if (isSame(SuffixExpression.suffixed(value, number), key)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSame(BsonValue one, BsonValue other) {
    return BsonOrder.CANONICAL.compare(one, other) == 0;
  }

  /**
   * A new document with its key. One that has it already, such as a restored one, keeps it.
   *
   * @throws CommandException if it has another one, or none can be made
   */
  public RawDocument complete(RawDocument document) {
    RawValue present = document.field(nameBytes);
    if (present == null) {
      return with(document, make(document));
    }
    if (!isTrue(document, present.toBsonValue())) {
      throw bad(
          "The shard key '%s' is made by the server; the document has another value than"
                  .formatted(name)
              + " its other fields give");
    }
    return document;
  }

  /**
   * A document after a change, with a key that is true of it: the one it had, if it is.
   *
   * @param isWhole whether all of it was replaced, so that the key need not have been given
   * @throws CommandException if the key was changed, and not as the other fields were
   */
  public RawDocument keep(RawDocument before, RawDocument after, boolean isWhole) {
    RawValue had = before.field(nameBytes);
    RawValue has = after.field(nameBytes);
    boolean isKept = had != null && isTrue(after, had.toBsonValue());
    if (has == null && isWhole || has != null && has.equals(had)) {
      BsonValue key = isKept ? had.toBsonValue() : make(after);
      return has != null && isKept ? after : with(after, key);
    }
    if (has == null || !isTrue(after, has.toBsonValue())) {
      throw new CommandException(
          ErrorCode.IMMUTABLE_FIELD,
          "Performing an update on the path '%s' would modify the immutable field '%s', which the"
                  .formatted(name, name)
              + " server makes of other fields");
    }
    return after;
  }

  /** The document with that key, in the key's place or at the end. */
  private RawDocument with(RawDocument document, BsonValue key) {
    var encoder = new BsonEncoder(document.length() + 64);
    int start = encoder.startDocument();
    boolean isWritten = false;
    RawElements elements = document.elements();
    while (elements.next()) {
      if (elements.nameEquals(nameBytes)) {
        encoder.writeElement(name, key);
        isWritten = true;
      } else {
        encoder.writeElement(elements, document.bytes());
      }
    }
    if (!isWritten) {
      encoder.writeElement(name, key);
    }
    encoder.endDocument(start);
    return RawDocument.wrap(encoder.toByteArray());
  }
}
