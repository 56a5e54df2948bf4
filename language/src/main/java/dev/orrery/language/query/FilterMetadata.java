package dev.orrery.language.query;

import java.util.Set;

/** What a filter tells of each document that it lets pass, beside that it does. */
public final class FilterMetadata {
  public static final String DISTANCE = "geoNearDistance";
  public static final String POINT = "geoNearPoint";

  public static final String SCORE = "textScore";

  private static final Set<String> OF_NEAR = Set.of(DISTANCE, POINT);

  private FilterMetadata() {}

  /** The names by which {@code $meta} finds it. */
  public static Set<String> of(Filter filter) {
    if (TextFilters.find(filter) != null) {
      return Set.of(SCORE);
    }
    return GeoFilters.findNear(filter) == null ? Set.of() : OF_NEAR;
  }
}
