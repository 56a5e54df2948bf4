package dev.orrery.storage.postgres;

import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.catalog.NumberTypes;
import dev.orrery.storage.index.IndexKeySet;

/**
 * What the fields of an index met, as bits that several servers can add to without reading them.
 *
 * @param multikey a bit for each field that met an array
 * @param numbers for each field a bit for each state of {@link NumberTypes} that it was in
 */
record Seen(long multikey, long numbers) {
  static final Seen NOTHING = new Seen(0, 0);

  private static final int STATE_BITS = 3;
  private static final int MIXED = 7;
  private static final int MIXED_BIT = 4;

  /** How many bits a field has: for each state but that of nothing. */
  private static final int FIELD_BITS = 5;

  static Seen of(IndexKeySet keys) {
    long multikey = 0;
    for (int i = 0; i < keys.multikeyPaths().size(); i++) {
      multikey |= keys.multikeyPaths().get(i).isEmpty() ? 0 : 1L << i;
    }
    long numbers = 0;
    long types = keys.numbers().bits();
    for (int i = 0; types != 0; i++, types >>>= STATE_BITS) {
      int state = (int) types & MIXED;
      if (state != 0) {
        numbers |= 1L << FIELD_BITS * i + (state == MIXED ? MIXED_BIT : state - 1);
      }
    }
    return new Seen(multikey, numbers);
  }

  Seen with(Seen other) {
    return contains(other) ? this : new Seen(multikey | other.multikey, numbers | other.numbers);
  }

  boolean contains(Seen other) {
    return (other.multikey & ~multikey) == 0 && (other.numbers & ~numbers) == 0;
  }

  FieldsSeen fields() {
    var types = NumberTypes.NOTHING;
    for (int i = 0; i < NumberTypes.FIELDS_MAX; i++) {
      for (int bit = 0; bit < FIELD_BITS; bit++) {
        if ((numbers >> FIELD_BITS * i + bit & 1) != 0) {
          long state = bit == MIXED_BIT ? MIXED : bit + 1;
          types = types.with(new NumberTypes(state << STATE_BITS * i));
        }
      }
    }
    return new FieldsSeen(multikey, types);
  }
}
