package dev.orrery.benchmarks.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All samples of a run. */
public final class Results {
  /** Names a row of samples: one server under one variant of a workload. */
  public record Case(String workload, String variant, String target) {
    public Case of(String other) {
      return new Case(workload, variant, other);
    }

    boolean covers(Sample sample) {
      return sample.workload().equals(workload)
          && sample.variant().equals(variant)
          && sample.target().equals(target);
    }
  }

  private final List<Sample> samples = new ArrayList<>();

  public void add(Sample sample) {
    samples.add(sample);
  }

  public List<Sample> samples() {
    return List.copyOf(samples);
  }

  /**
   * These samples, but for the workloads that were measured again, of which only the new ones.
   *
   * @param order of the workloads
   */
  public Results replacedBy(Results again, List<String> order) {
    Set<String> measured = again.samples.stream().map(Sample::workload).collect(Collectors.toSet());
    var all = new Results();
    Stream.concat(
            samples.stream().filter(sample -> !measured.contains(sample.workload())),
            again.samples.stream())
        .sorted(Comparator.comparingInt(sample -> order.indexOf(sample.workload())))
        .forEach(all::add);
    return all;
  }

  /** Each once, in the order in which they were measured. */
  public List<Case> cases() {
    var cases = new LinkedHashSet<Case>();
    for (Sample sample : samples) {
      cases.add(new Case(sample.workload(), sample.variant(), sample.target()));
    }
    return List.copyOf(cases);
  }

  public Optional<Spread> spread(Case row, Metric metric) {
    List<Double> numbers =
        samples.stream()
            .filter(row::covers)
            .map(sample -> sample.values().get(metric))
            .filter(Objects::nonNull)
            .toList();
    return numbers.isEmpty() ? Optional.empty() : Optional.of(Spread.of(numbers));
  }

  /** One over the other, round by round: both were measured one after the other there. */
  public Optional<Spread> ratio(Case over, Case under, Metric metric) {
    var ratios = new ArrayList<Double>();
    for (Sample upper : samples) {
      if (over.covers(upper) && upper.values().containsKey(metric)) {
        value(under, upper.round(), metric)
            .ifPresent(divisor -> ratios.add(upper.values().get(metric) / divisor));
      }
    }
    return ratios.isEmpty() ? Optional.empty() : Optional.of(Spread.of(ratios));
  }

  private Optional<Double> value(Case row, int round, Metric metric) {
    return samples.stream()
        .filter(sample -> row.covers(sample) && sample.round() == round)
        .map(sample -> sample.values().get(metric))
        .filter(value -> value != null && value > 0)
        .findFirst();
  }
}
