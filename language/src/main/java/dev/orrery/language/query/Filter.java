package dev.orrery.language.query;

import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonDocument;

/**
 * A condition on documents, compiled once from BSON by {@link FilterParser} and evaluated on raw
 * bytes. Immutable and shared between threads. The cases are public so that a planner can derive
 * index bounds from them.
 */
public sealed interface Filter {
  /** Matches every document: the empty conjunction. */
  Filter ALL = new And(List.of());

  /** Matches no document: the empty disjunction. */
  Filter NOTHING = new Or(List.of());

  /** Whether the document matches; {@code details} learns which array element did. */
  boolean matches(RawDocument document, MatchDetails details);

  default boolean matches(RawDocument document) {
    return matches(document, MatchDetails.NONE);
  }

  /**
   * Whether a value on its own, such as an array element under {@code $elemMatch}, satisfies this
   * filter's predicates. Paths play no part and arrays are not looked into.
   */
  boolean matchesValue(RawValue value);

  /** Of how many conditions it is made; what it costs to look at a value grows with them. */
  default int size() {
    return 1;
  }

  /** This filter as a document that parses to it; what explain prints. */
  default BsonDocument document() {
    return FilterDocuments.of(this);
  }

  /** The operators of a filter on single values, without a path: {@code {$gt: 1, $lt: 5}}. */
  default BsonDocument operators() {
    return FilterDocuments.operators(this);
  }

  /** All of the children match; of an empty list, always. */
  record And(List<Filter> children) implements Filter {
    public And {
      children = List.copyOf(children);
    }

    @Override
    public boolean matches(RawDocument document, MatchDetails details) {
      for (int i = 0; i < children.size(); i++) {
        if (!children.get(i).matches(document, details)) {
          details.reset();
          return false;
        }
      }
      return true;
    }

    @Override
    public int size() {
      return FilterSize.of(children);
    }

    @Override
    public boolean matchesValue(RawValue value) {
      for (int i = 0; i < children.size(); i++) {
        if (!children.get(i).matchesValue(value)) {
          return false;
        }
      }
      return true;
    }
  }

  /** At least one of the children matches; of an empty list, never. */
  record Or(List<Filter> children) implements Filter {
    public Or {
      children = List.copyOf(children);
    }

    @Override
    public boolean matches(RawDocument document, MatchDetails details) {
      for (int i = 0; i < children.size(); i++) {
        if (children.get(i).matches(document, details)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public int size() {
      return FilterSize.of(children);
    }

    @Override
    public boolean matchesValue(RawValue value) {
      for (int i = 0; i < children.size(); i++) {
        if (children.get(i).matchesValue(value)) {
          return true;
        }
      }
      return false;
    }
  }

  /** None of the children matches. */
  record Nor(List<Filter> children) implements Filter {
    public Nor {
      children = List.copyOf(children);
    }

    @Override
    public boolean matches(RawDocument document, MatchDetails details) {
      for (int i = 0; i < children.size(); i++) {
        if (children.get(i).matches(document, MatchDetails.NONE)) {
          return false;
        }
      }
      return true;
    }

    @Override
    public int size() {
      return FilterSize.of(children);
    }

    @Override
    public boolean matchesValue(RawValue value) {
      for (int i = 0; i < children.size(); i++) {
        if (children.get(i).matchesValue(value)) {
          return false;
        }
      }
      return true;
    }
  }

  /** The child does not match; also {@code $ne}, {@code $nin} and {@code $exists: false}. */
  record Not(Filter child) implements Filter {
    @Override
    public boolean matches(RawDocument document, MatchDetails details) {
      return !child.matches(document, MatchDetails.NONE);
    }

    @Override
    public int size() {
      return child.size();
    }

    @Override
    public boolean matchesValue(RawValue value) {
      return !child.matchesValue(value);
    }
  }

  /** Some value that the path leads to satisfies the predicate. */
  record Field(FieldPath path, ValuePredicate predicate) implements Filter {
    @Override
    public boolean matches(RawDocument document, MatchDetails details) {
      FilterSize.count(document);
      var leaves =
          predicate.traversesArrays() ? FieldPath.LeafArrays.EXPAND : FieldPath.LeafArrays.KEEP;
      return path.visit(document, leaves, (value, index) -> test(value, index, details));
    }

    private boolean test(RawValue value, int index, MatchDetails details) {
      if (!predicate.test(value, details)) {
        return false;
      }
      if (index >= 0) {
        details.record(index);
      }
      return true;
    }

    @Override
    public int size() {
      return predicate.size();
    }

    @Override
    public boolean matchesValue(RawValue value) {
      return predicate.test(value, MatchDetails.NONE);
    }
  }

  /** The document as a whole satisfies the predicate: {@code $expr}, {@code $jsonSchema}. */
  record Whole(DocumentPredicate predicate) implements Filter {
    /** A filter on fields that every matching document matches too; that for all if unknown. */
    public Filter implied() {
      return predicate instanceof ExpressionPredicate expression ? expression.implied() : ALL;
    }

    @Override
    public boolean matches(RawDocument document, MatchDetails details) {
      return predicate.test(document);
    }

    @Override
    public boolean matchesValue(RawValue value) {
      return value.isDocument() && predicate.test(value.asDocument());
    }
  }
}
