package dev.orrery.server.expiry;

import dev.orrery.language.query.Filter;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;

/** When a document is over, by one index. */
sealed interface Deadline {
  boolean isOver(RawDocument document, long now);

  /**
   * What a partial index says of the documents that it has.
   *
   * @param all what an index on all documents would say
   */
  record OfSome(Filter taken, Deadline all) implements Deadline {
    @Override
    public boolean isOver(RawDocument document, long now) {
      return taken.matches(document) && all.isOver(document, now);
    }
  }

  /**
   * So many seconds after the date at a path; of several the oldest counts.
   *
   * @param takesNumbers whether numbers are milliseconds since 1970, as for Cosmos DB
   */
  record ByDate(FieldPath path, long seconds, boolean takesNumbers) implements Deadline {
    @Override
    public boolean isOver(RawDocument document, long now) {
      long until = now - seconds * 1000;
      return path.visit(
          document,
          FieldPath.LeafArrays.EXPAND,
          (value, position) -> value != null && isUpTo(value, until));
    }

    private boolean isUpTo(RawValue value, long until) {
      if (value.type() == RawTypes.DATE) {
        return value.asInt64() <= until;
      }
      return takesNumbers
          && value.isNumber()
          && value.toBsonValue().asNumber().doubleValue() <= until;
    }
  }

  /**
   * So many seconds after the last change, or as many as the document's own {@code ttl} says; never
   * if that is -1.
   *
   * @param since when documents were changed that do not say so
   */
  record ByLastChange(long seconds, long since) implements Deadline {
    private static final String TIME_TO_LIVE = "ttl";
    private static final long NEVER = -1;

    @Override
    public boolean isOver(RawDocument document, long now) {
      long lives = seconds(document.field(TIME_TO_LIVE));
      if (lives == NEVER) {
        return false;
      }
      RawValue stamp = document.field(LastModified.FIELD);
      boolean isKnown = stamp != null && stamp.type() == RawTypes.DATE;
      return (isKnown ? stamp.asInt64() : since) + lives * 1000 <= now;
    }

    /** A whole number of 32 bits, of any type but Decimal128; anything else says nothing. */
    private long seconds(RawValue own) {
      if (own == null || !own.isNumber() || own.type() == RawTypes.DECIMAL128) {
        return seconds;
      }
      double given = own.toBsonValue().asNumber().doubleValue();
      boolean isValid = given == (int) given && (given > 0 || given == NEVER);
      return isValid ? (long) given : seconds;
    }
  }
}
