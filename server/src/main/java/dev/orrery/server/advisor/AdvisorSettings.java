package dev.orrery.server.advisor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be judged, and by what.
 *
 * @param asked fields that are candidates whatever they look like
 * @param present the path of the present key; null for a collection without one
 * @param uniqueIndexes the fields of each unique index
 * @param partitions over how many physical partitions at least; a key shows only where it spreads
 */
public record AdvisorSettings(
    List<String> asked,
    @Nullable String present,
    List<List<String>> uniqueIndexes,
    int partitions,
    Growth growth,
    Prices prices) {
  /** As many as show how a key spreads. */
  public static final int PARTITIONS = 4;

  public AdvisorSettings {
    asked = List.copyOf(asked);
    uniqueIndexes = List.copyOf(uniqueIndexes);
  }

  /** Nothing is known but the present key. */
  public static AdvisorSettings of(@Nullable String present) {
    return new AdvisorSettings(
        List.of(), present, List.of(), PARTITIONS, Growth.MEASURED, Prices.standard());
  }
}
