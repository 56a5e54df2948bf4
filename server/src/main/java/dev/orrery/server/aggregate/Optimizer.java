package dev.orrery.server.aggregate;

import java.util.ArrayList;
import java.util.List;

/** Rewrites pipelines into ones that give the same with less work. */
final class Optimizer {
  private Optimizer() {}

  static List<Stage> optimize(List<Stage> stages) {
    List<Stage> optimized = new ArrayList<>();
    stages.forEach(stage -> optimized.add(stage.optimize()));
    limitSorts(optimized);
    return optimized;
  }

  /** {@code $sort, $skip: s, $limit: n -> $sort to s + n, $skip: s, $limit: n}. */
  private static void limitSorts(List<Stage> stages) {
    for (int i = 0; i < stages.size(); i++) {
      if (!(stages.get(i) instanceof SortStage sort)) {
        continue;
      }
      long skipped = 0;
      int next = i + 1;
      while (next < stages.size() && stages.get(next) instanceof SkipStage skip) {
        skipped += skip.skip();
        next++;
      }
      if (next < stages.size() && stages.get(next) instanceof LimitStage limit) {
        long total = skipped + limit.limit();
        if (skipped >= 0 && total > 0) {
          stages.set(i, sort.withLimit(total));
        }
      }
    }
  }
}
