package dev.orrery.server.advisor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The order of candidates: those that can be the key before those that cannot; then by the
 * throughput they need; then by what the workload costs; then the simple ones first; then by how
 * much the busiest partition does. What is a tenth worse than the best counts as good as it, so
 * that chance does not decide.
 */
final class Ranking {
  private static final double AS_GOOD = 1.13; // one throughput that is tried beyond the best

  /** Throughput is tried in hundreds. */
  private static final double NEXT = 100;

  private Ranking() {}

  static List<Verdict> bestFirst(List<Verdict> verdicts) {
    var sorted = new ArrayList<>(verdicts);
    sorted.sort(Comparator.comparingInt(verdict -> verdict.problems().size()));
    var ranked = new ArrayList<Verdict>();
    int from = 0;
    while (from < sorted.size()) {
      int problems = sorted.get(from).problems().size();
      int to = from;
      while (to < sorted.size() && sorted.get(to).problems().size() == problems) {
        to++;
      }
      ranked.addAll(byLoad(sorted.subList(from, to)));
      from = to;
    }
    return ranked;
  }

  private static List<Verdict> byLoad(List<Verdict> verdicts) {
    List<Verdict> rest = new ArrayList<>(verdicts);
    var ranked = new ArrayList<Verdict>();
    while (!rest.isEmpty()) { // the best of those that are left, again and again
      double least = rest.stream().mapToDouble(Ranking::needed).min().orElse(0);
      double most = Math.max(least + NEXT, AS_GOOD * least);
      List<Verdict> best = rest.stream().filter(each -> needed(each) <= most).toList();
      best = asGood(best, verdict -> verdict.load().units());
      if (best.stream().anyMatch(verdict -> !verdict.candidate().isSynthetic())) {
        best = best.stream().filter(verdict -> !verdict.candidate().isSynthetic()).toList();
      }
      best = asGood(best, verdict -> verdict.load().p99());
      Verdict next =
          best.stream().max(Comparator.comparingLong(each -> each.values().distinct())).get();
      ranked.add(next);
      rest.remove(next);
    }
    return ranked;
  }

  private static List<Verdict> asGood(List<Verdict> verdicts, ToDoubleFunction<Verdict> cost) {
    double least = verdicts.stream().mapToDouble(cost).min().orElse(0);
    return verdicts.stream().filter(each -> cost.applyAsDouble(each) <= AS_GOOD * least).toList();
  }

  private static double needed(Verdict verdict) {
    long units = verdict.load().unitsPerSecond();
    return units < 0 ? Double.MAX_VALUE : units;
  }
}
