package dev.orrery.server.advisor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is to be said of a candidate, in plain sentences. */
final class Sentences {
  private static final double MOST = 0.9;
  private static final double HOT = 0.15;
  private static final double MISSING_MAX = 0.01;
  private static final int FEW_VALUES = 4;

  /** How much the busiest partition moves before it is said. */
  private static final double MOVES = 1.5;

  private final Candidate candidate;
  private final Verdict.Values values;
  private final Verdict.Load load;
  private final Verdict.Future future;

  Sentences(Candidate candidate, Verdict.Values values, Verdict.Load load, Verdict.Future future) {
    this.candidate = candidate;
    this.values = values;
    this.load = load;
    this.future = future;
  }

  private static String say(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }

  /** Why it cannot be the key. */
  List<String> problems(long documents) {
    var problems = new ArrayList<String>();
    if (values.impossible() > 0) {
      problems.add(
          say(
              "%,d documents have an array there, or a value that no key is made of: they are"
                  + " refused.",
              values.impossible()));
    }
    if (values.missing() > MISSING_MAX * documents) {
      problems.add(
          say(
              "%,d documents lack it: they would share one partition, and Cosmos DB refuses them.",
              values.missing()));
    }
    Verdict.Refusals refusals = load.refusals();
    if (refusals.withoutKey() > 0) {
      problems.add(
          say(
              "%,d updates or deletions of one document do not name it, and Cosmos DB refuses these.",
              refusals.withoutKey()));
    }
    if (refusals.changedInPlace() > 0) {
      problems.add(
          say(
              "%,d updates change it in place, which no partition key can be.",
              refusals.changedInPlace()));
    }
    if (refusals.spanning() > 0) {
      problems.add(
          say(
              "%,d of %,d transactions span several of its values, and Cosmos DB refuses these.",
              refusals.spanning(), refusals.transactions()));
    }
    if (Judge.isSoon(future.wallDays())) {
      problems.add(
          say(
              "The value %s reaches 20 GB, the most that one value may have, in %,.0f days.",
              future.wallValue(), future.wallDays()));
    }
    return problems;
  }

  /** What else is to be said. */
  List<String> reasons(List<List<String>> uniqueIndexes) {
    var reasons = new ArrayList<String>();
    int partitions = values.bytesByPartition().length;
    reasons.add(
        say(
            "%.0f %% of the request units of reads and %.0f %% of those of writes stay in one"
                + " partition.",
            100 * load.readShare(), 100 * load.writeShare()));
    if (values.distinct() < (long) FEW_VALUES * partitions) {
      reasons.add(
          say(
              "It has only %,d values: no more than %,d partitions can ever share the work.",
              values.distinct(), values.distinct()));
    }
    if (load.hottestShare() > HOT) {
      reasons.add(
          say(
              "One value, %s, takes %.0f %% of all request units, and lives in one partition.",
              load.hottest(), 100 * load.hottestShare()));
    }
    if (load.shareOfBusiest() > MOVES * Math.max(load.shareOfFullest(), 1.0 / partitions)
        && values.distinct() >= partitions) {
      reasons.add(
          say(
              "In each second one partition does %.0f %% of the work, and another one later: its"
                  + " values follow the time.",
              100 * load.shareOfBusiest()));
    }
    if (load.readShare() < 1 - MOST) {
      reasons.add("Hardly any read names it, so nearly all ask every partition.");
    }
    addUnique(uniqueIndexes, reasons);
    if (Double.isFinite(future.wallDays()) && !Judge.isSoon(future.wallDays())) {
      reasons.add(
          say("The value %s reaches 20 GB in %,.0f days.", future.wallValue(), future.wallDays()));
    }
    if (candidate.isSynthetic()) {
      reasons.add("The server makes it; on real accounts clients have to.");
    }
    return reasons;
  }

  private void addUnique(List<List<String>> uniqueIndexes, List<String> reasons) {
    for (List<String> fields : uniqueIndexes) {
      if (!fields.containsAll(candidate.inputs())) {
        reasons.add(
            say(
                "The unique index on %s would be unique within each value only.",
                String.join(", ", fields)));
      }
    }
  }
}
