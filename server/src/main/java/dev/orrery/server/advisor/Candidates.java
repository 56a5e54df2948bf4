package dev.orrery.server.advisor;

import dev.orrery.language.query.Equalities;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds what may become the key, in a sample: fields that nearly all documents have, above all
 * those that requests fix, and what can be made of two of these.
 */
final class Candidates {
  /** As many are compared. */
  static final int MOST = 32;

  private static final int PATHS_MAX = 500;
  private static final int DEPTH_MAX = 3;
  private static final double PRESENT = 0.99;
  private static final int PAIRED = 3;

  /** Ten for each of a few partitions, so that all get about the same. */
  private static final int SUFFIXES = 40;

  /** Values of fields that are told apart in the sample. */
  private static final int VALUES_MAX = 2_000;

  private static final class Path {
    long present;
    long arrays;
    double units;
    final Map<KeyPlace, Integer> counts = new HashMap<>();
  }

  private final Map<String, Path> paths = new LinkedHashMap<>();
  private long documents;

  void add(RawDocument document) {
    documents++;
    walk(document, "", 0);
  }

  private void walk(RawDocument document, String prefix, int depth) {
    RawElements elements = document.elements();
    while (elements.next()) {
      String name = prefix + elements.name();
      byte type = elements.type();
      if (type == RawTypes.DOCUMENT && depth + 1 < DEPTH_MAX) {
        walk(elements.value().asDocument(), name + ".", depth + 1);
      } else if (isName(elements.name()) && (paths.containsKey(name) || paths.size() < PATHS_MAX)) {
        Path path = paths.computeIfAbsent(name, any -> new Path());
        path.present++;
        path.arrays += type == RawTypes.ARRAY ? 1 : 0;
        if (type != RawTypes.ARRAY && path.counts.size() < VALUES_MAX) {
          path.counts.merge(KeyPlace.of(elements.value()).kept(), 1, Integer::sum);
        }
      }
    }
  }

  private static boolean isName(String name) {
    return !name.isEmpty() && !name.startsWith("$") && name.indexOf('.') < 0;
  }

  /** Counts a statement for the fields that its filter fixes. */
  void add(Statement statement) {
    if (statement.filter() == null) {
      return;
    }
    paths.forEach(
        (name, path) -> {
          if (Equalities.fixedValues(statement.filter(), FieldPath.parse(name)) != null) {
            path.units += statement.work().price();
          }
        });
  }

  /**
   * The candidates.
   *
   * @param asked those that somebody wants to know about, and the present one
   */
  List<Candidate> list(List<String> asked, @Nullable String present) {
    Set<String> names = new LinkedHashSet<>(asked);
    if (present != null) {
      names.add(present);
    }
    List<String> fit =
        paths.entrySet().stream()
            .filter(entry -> isFit(entry.getValue()))
            .sorted(
                Comparator.comparingDouble(
                        (Map.Entry<String, Path> entry) -> -entry.getValue().units)
                    .thenComparing(entry -> -entry.getValue().counts.size()))
            .map(Map.Entry::getKey)
            .collect(Collectors.toList());
    paths.forEach(
        (name, path) -> { // arrays that are asked for by equality: people will want to know why not
          if (path.units > 0 && !fit.contains(name)) {
            fit.add(name);
          }
        });
    names.addAll(fit.subList(0, Math.min(fit.size(), MOST / 2)));
    var candidates = new ArrayList<Candidate>();
    names.forEach(name -> candidates.add(Candidate.field(name)));
    addPairs(fit, candidates);
    addSuffixes(fit, candidates);
    return List.copyOf(candidates.subList(0, Math.min(MOST, candidates.size())));
  }

  private boolean isFit(Path path) {
    return path.arrays == 0 && path.present >= PRESENT * documents && path.counts.size() > 1;
  }

  /** Fields that requests fix, the dearest first. */
  private List<String> fixed(List<String> fit) {
    return fit.stream()
        .filter(name -> paths.get(name).units > 0 && isFit(paths.get(name)))
        .limit(PAIRED)
        .toList();
  }

  private void addPairs(List<String> fit, List<Candidate> candidates) {
    List<String> fixed = fixed(fit).stream().filter(name -> !name.equals("_id")).toList();
    for (int i = 0; i < fixed.size(); i++) {
      for (int k = i + 1; k < fixed.size(); k++) {
        candidates.add(Candidate.pair(fixed.get(i), fixed.get(k)));
      }
    }
  }

  /** Where one value has much of all: it can be spread over several by what else is known. */
  private void addSuffixes(List<String> fit, List<Candidate> candidates) {
    for (String name : fit.stream().limit(PAIRED * 2L).toList()) {
      if (name.equals("_id") || !isFit(paths.get(name)) || shareOfLargest(name) < 0.05) {
        continue;
      }
      String spread =
          fixed(fit).stream()
              .filter(other -> !other.equals(name) && isFiner(other, name))
              .findFirst()
              .orElse("_id");
      candidates.add(Candidate.suffixed(name, spread, SUFFIXES));
    }
  }

  private boolean isFiner(String one, String than) {
    return paths.get(one).counts.size() > paths.get(than).counts.size();
  }

  private double shareOfLargest(String name) {
    int most = paths.get(name).counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    return most / (double) Math.max(1, documents);
  }
}
