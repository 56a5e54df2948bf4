package dev.orrery.server.plan.bounds;

/**
 * What a condition on one path says about the keys of an index on it: a document that matches has a
 * key in the intervals.
 *
 * @param isExact whether also every document with such a key matches
 * @param excludesMissing whether no document matches that lacks the path
 */
public record FieldBounds(Intervals intervals, boolean isExact, boolean excludesMissing) {
  static final FieldBounds NOTHING = new FieldBounds(Intervals.NONE, true, true);
}
