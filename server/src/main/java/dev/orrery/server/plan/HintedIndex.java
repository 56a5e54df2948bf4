package dev.orrery.server.plan;

import dev.orrery.server.plan.bounds.IndexMatcher;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.KeyEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The index that a hint names, and the part of it that min and max cut out. */
final class HintedIndex {
  private final Query query;
  private final Query.Hints hints;

  HintedIndex(Query query) {
    this.query = query;
    this.hints = query.criteria().hints();
  }

  private boolean isGiven() {
    BsonValue hint = hints.hint();
    return hint != null && !(hint.isDocument() && hint.asDocument().isEmpty());
  }

  private boolean isNatural() {
    return isGiven()
        && hints.hint().isDocument()
        && hints.hint().asDocument().containsKey("$natural");
  }

  /** The direction in which the user wants the collection scanned; null if he says nothing. */
  @Nullable Boolean naturalReverse() {
    if (isNatural()) {
      BsonValue direction = hints.hint().asDocument().get("$natural");
      return direction.isNumber() && direction.asNumber().doubleValue() < 0;
    }
    Query.Order order = query.order();
    boolean isSorted = order.document().field("$natural") != null || order.isReverseNatural();
    return isSorted ? order.isReverseNatural() : null;
  }

  /** The hinted index; null when there is no hint. */
  @Nullable IndexSpec find() {
    if (!isGiven() || isNatural()) {
      requireNoRange();
      return null;
    }
    var found = new ArrayList<IndexSpec>();
    for (IndexSpec index : query.indexes()) {
      if (!index.isHidden() && isMeant(index)) {
        found.add(index);
      }
    }
    if (found.isEmpty()) {
      throw PlannerErrors.badHint();
    }
    return found.get(0);
  }

  private void requireNoRange() {
    if (isSet(hints.min()) || isSet(hints.max())) {
      throw PlannerErrors.noHint();
    }
  }

  private static boolean isSet(@Nullable BsonDocument bound) {
    return bound != null && !bound.isEmpty();
  }

  private boolean isMeant(IndexSpec index) {
    return hints.hint().isString()
        ? index.name().equals(hints.hint().asString().getValue())
        : BsonOrder.CANONICAL.compare(index.keyPattern(), hints.hint()) == 0;
  }

  /** The keys between min and max; null when neither was given. */
  @Nullable IndexRange range(IndexSpec index) {
    boolean hasMin = isSet(hints.min());
    boolean hasMax = isSet(hints.max());
    if (!hasMin && !hasMax) {
      return null;
    }
    byte[] low = hasMin ? key(index, hints.min()) : null;
    byte[] high = hasMax ? key(index, hints.max()) : null;
    if (hasMin && hasMax && Arrays.compareUnsigned(low, high) >= 0) {
      throw PlannerErrors.emptyRange();
    }
    return new IndexRange(low, true, high, false, false);
  }

  private byte[] key(IndexSpec index, BsonDocument values) {
    boolean isPattern =
        List.copyOf(values.keySet()).equals(List.copyOf(index.keyPattern().keySet()));
    boolean isPlain =
        index.fields().stream().allMatch(field -> field.kind() == IndexField.Kind.ORDERED);
    if (!isPattern || !isPlain) {
      throw PlannerErrors.incompatibleRange();
    }
    var encoder = new KeyEncoder(IndexMatcher.stringsOf(index));
    for (var field : index.fields()) {
      encoder.append(values.get(field.path().dotted()), field.isDescending());
    }
    return encoder.toByteArray();
  }
}
