package dev.orrery.language.query;

import dev.orrery.value.ArrayIndexes;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The part of a projection that keeps fields or leaves them out: bytes are copied, nothing is
 * decoded. {@code {a.b: 1}} of {@code {a: [{b: 1, c: 2}, 5]}} is {@code {a: [{b: 1}]}}.
 */
final class RawSelection {
  /** What to do with a field: its name in UTF-8, and the fields below, null for the leaf. */
  private record Rule(
      byte[] name, boolean isKept, Rule @Nullable [] below, boolean hasComputedBelow) {}

  private final Rule[] rules;
  private final boolean isInclusion;

  RawSelection(ProjectionNode.Inner root, boolean isInclusion) {
    this.isInclusion = isInclusion;
    this.rules = compile(root);
  }

  private Rule[] compile(ProjectionNode.Inner inner) {
    return inner.children().entrySet().stream()
        .map(entry -> compile(entry.getKey(), entry.getValue()))
        .toArray(Rule[]::new);
  }

  private Rule compile(String name, ProjectionNode node) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (node instanceof ProjectionNode.Inner inner) {
      return new Rule(bytes, true, compile(inner), inner.hasComputed());
    }
    if (node instanceof ProjectionNode.Selection selection) {
      return new Rule(bytes, selection.isIncluded(), null, false);
    }
    boolean isComputed =
        node instanceof ProjectionNode.Computed || node instanceof ProjectionNode.ElementMatch;
    // A computed field replaces what is there; in an inclusion it comes after all kept fields.
    return new Rule(bytes, !(isInclusion && isComputed), null, false);
  }

  RawDocument apply(RawDocument document) {
    var encoder = new BsonEncoder(isInclusion ? 64 : document.length());
    write(document, rules, encoder);
    return RawDocument.wrap(encoder.toByteArray());
  }

  private void write(RawDocument document, Rule[] level, BsonEncoder encoder) {
    int start = encoder.startDocument();
    var elements = document.elements();
    while (elements.next()) {
      var rule = find(level, elements);
      if (rule == null ? !isInclusion : rule.isKept && rule.below == null) {
        encoder.writeElement(elements, document.bytes());
      } else if (rule != null && rule.isKept) {
        writeInside(elements.name(), elements, rule, encoder);
      }
    }
    encoder.endDocument(start);
  }

  private static @Nullable Rule find(Rule[] level, RawElements elements) {
    for (var rule : level) {
      if (elements.nameEquals(rule.name)) {
        return rule;
      }
    }
    return null;
  }

  /** A value with rules for its fields; a scalar has none, and is seldom worth including. */
  private boolean writeInside(String name, RawElements elements, Rule rule, BsonEncoder encoder) {
    var value = elements.value();
    if (elements.type() == RawTypes.DOCUMENT) {
      encoder.writeName(RawTypes.DOCUMENT, name);
      write(value.asDocument(), rule.below, encoder);
    } else if (elements.type() == RawTypes.ARRAY) {
      encoder.writeName(RawTypes.ARRAY, name);
      writeElements(value.asDocument(), rule, encoder);
    } else if (rule.hasComputedBelow) {
      encoder.writeName(RawTypes.NULL, name); // holds the place of what is computed
    } else if (isInclusion) {
      return false;
    } else {
      encoder.writeElement(name, value);
    }
    return true;
  }

  private void writeElements(RawDocument array, Rule rule, BsonEncoder encoder) {
    int start = encoder.startDocument();
    var elements = array.elements();
    int index = 0;
    while (elements.next()) {
      if (writeInside(ArrayIndexes.name(index), elements, rule, encoder)) {
        index++;
      }
    }
    encoder.endDocument(start);
  }
}
