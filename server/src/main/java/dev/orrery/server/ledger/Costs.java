package dev.orrery.server.ledger;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * What requests cost up to a moment: in all, by collection, by shape, by the name that the client
 * gave itself, by comment, and what Cosmos DB would have refused of them.
 *
 * @param gaps refusals that did not happen, and how often
 * @param faults faults that were injected, and how often
 */
public record Costs(
    Sum total,
    Map<String, Sum> collections,
    Map<String, ShapeCost> shapes,
    Map<String, Sum> applications,
    Map<String, Sum> comments,
    Map<Gap, Long> gaps,
    Map<String, Long> faults) {

  /**
   * Something that was used here and that Cosmos DB refuses.
   *
   * @param rule the name of the rule that the profile cosmos has for it
   * @param place the collection, and what of the request is meant
   * @param words what Cosmos DB says
   */
  public record Gap(String rule, String place, String words) {}

  public Costs {
    collections = Map.copyOf(collections);
    shapes = Map.copyOf(shapes);
    applications = Map.copyOf(applications);
    comments = Map.copyOf(comments);
    gaps = Map.copyOf(gaps);
    faults = Map.copyOf(faults);
  }

  /** The shapes of which one request cost most, the dearest first. */
  public List<Map.Entry<String, ShapeCost>> dearest(int count) {
    Comparator<Map.Entry<String, ShapeCost>> byPrice =
        Comparator.comparing(entry -> entry.getValue().dearest());
    return shapes.entrySet().stream()
        .sorted(byPrice.reversed().thenComparing(Map.Entry.comparingByKey()))
        .limit(count)
        .toList();
  }

  /** Sums, the largest first. */
  public static List<Map.Entry<String, Sum>> largestFirst(Map<String, Sum> sums) {
    Comparator<Map.Entry<String, Sum>> byPrice =
        Comparator.comparing(entry -> entry.getValue().charge());
    return sums.entrySet().stream()
        .sorted(byPrice.reversed().thenComparing(Map.Entry.comparingByKey()))
        .toList();
  }

  /** The shapes that cost most together, the largest first. */
  public List<Map.Entry<String, ShapeCost>> shapesLargestFirst() {
    Comparator<Map.Entry<String, ShapeCost>> byPrice =
        Comparator.comparing(entry -> entry.getValue().sum().charge());
    return shapes.entrySet().stream()
        .sorted(byPrice.reversed().thenComparing(Map.Entry.comparingByKey()))
        .toList();
  }
}
