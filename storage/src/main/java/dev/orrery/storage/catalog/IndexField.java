package dev.orrery.storage.catalog;

import dev.orrery.value.FieldPath;
import java.util.Objects;
import org.bson.BsonValue;

/** One field of a key pattern: what is indexed there, and how. */
public record IndexField(FieldPath path, Kind kind, boolean isDescending) {
  /** How the values of a field become keys. */
  public enum Kind {
    /** By value, ascending or descending. */
    ORDERED,
    /** By the hash of the value. */
    HASHED,
    /** By path and value, for every path below the one given. */
    WILDCARD,
    TEXT,
    GEO_2D,
    GEO_2DSPHERE
  }

  private static final String WILDCARD = "$**";
  private static final String SCORE = "_ftsx";

  public IndexField {
    Objects.requireNonNull(path);
    Objects.requireNonNull(kind);
  }

  /** Reads one entry of a key pattern that was accepted before. */
  static IndexField of(String name, BsonValue value) {
    if (value.isString()) {
      return new IndexField(FieldPath.parse(name), special(value.asString().getValue()), false);
    }
    boolean isDescending = value.isNumber() && value.asNumber().doubleValue() < 0;
    boolean isWildcard = name.equals(WILDCARD) || name.endsWith("." + WILDCARD);
    return new IndexField(
        FieldPath.parse(name), isWildcard ? Kind.WILDCARD : Kind.ORDERED, isDescending);
  }

  private static Kind special(String kind) {
    return switch (kind) {
      case "hashed" -> Kind.HASHED;
      case "text" -> Kind.TEXT;
      case "2d" -> Kind.GEO_2D;
      case "2dsphere" -> Kind.GEO_2DSPHERE;
      default -> throw new IllegalArgumentException("not a kind of index: " + kind);
    };
  }

  /** Whether the field belongs to the text field before it, and holds the scores of its terms. */
  public boolean isScore() {
    return kind == Kind.ORDERED && path.dotted().equals(SCORE);
  }

  /** The path whose subtree a wildcard field indexes; empty for the whole document. */
  public String wildcardRoot() {
    String dotted = path.dotted();
    return dotted.substring(0, Math.max(0, dotted.length() - WILDCARD.length() - 1));
  }
}
