package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.CountedStage;
import dev.orrery.language.aggregate.stage.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/*
 * What is rewritten, each rule until nothing changes:
 *
 *   $project, $match             -> $match, $project             if no field of the match is computed
 *   $addFields, $match           -> $match, $addFields           or renamed by the stage before; so
 *   $unwind, $match              -> $match, $unwind              with $lookup and $graphLookup too
 *   $sort, $match                -> $match, $sort
 *   $project, $skip or $limit    -> $skip or $limit, $project    so with $addFields
 *   $sort, $skip: s, $limit: n   -> $sort to s + n, $skip: s, $limit: n
 *   $lookup as a, $unwind a      -> $lookup that unwinds; with a $match of fields below a that follows
 *   $match a                     it filters what it looks up
 *   $addFields, $addFields       -> one $addFields               if the second reads and sets nothing
 *   $project, $addFields            or $project                  that the first one sets
 *   $limit, $limit               -> the smaller; $skip, $skip -> the sum
 *
 * A $match of several conditions is split, and each goes as far as it can. What arrives at the front
 * becomes part of the query (see Head). As in MongoDB a match may so keep an expression from failing
 * on a document that it sorts out.
 */

/** Rewrites pipelines into ones that give the same with less work. */
final class Optimizer {
  private Optimizer() {}

  static List<Stage> optimize(List<Stage> stages) {
    List<Stage> optimized = new ArrayList<>();
    for (Stage stage : stages) {
      optimized.addAll(split(stage.optimize()));
    }
    moveForward(optimized);
    List<Stage> fused = fuse(optimized);
    limitSorts(fused);
    return fused;
  }

  /** Stages that do the work of their followers too. */
  private static List<Stage> fuse(List<Stage> stages) {
    var fused = new ArrayList<Stage>();
    for (Stage stage : stages) {
      Stage last = fused.isEmpty() ? null : fused.get(fused.size() - 1);
      Stage both = last == null ? null : fused(last, stage);
      if (both == null) {
        fused.add(stage);
      } else {
        fused.set(fused.size() - 1, both);
      }
    }
    return fused;
  }

  /** One stage that does what two do one after the other; null if there is none. */
  private static @Nullable Stage fused(Stage first, Stage second) {
    if (first instanceof LookupStage lookup) {
      if (second instanceof UnwindStage unwind) {
        return lookup.with(unwind);
      }
      return second instanceof MatchStage match ? lookup.with(match) : null;
    }
    if (first instanceof LimitStage limit && second instanceof LimitStage other) {
      return limit.count() <= other.count() ? first : second;
    }
    if (first instanceof SkipStage skip && second instanceof SkipStage other) {
      long sum = skip.count() + other.count();
      return sum < 0 ? null : new SkipStage(sum);
    }
    return second instanceof AddFieldsStage fields ? fields.after(first) : null;
  }

  /** A $match of several conditions as several. */
  private static List<Stage> split(Stage stage) {
    if (!(stage instanceof MatchStage match)) {
      return List.of(stage);
    }
    BsonDocument filter = match.document().toBsonDocument();
    if (filter.size() < 2) {
      return List.of(stage);
    }
    List<Stage> parts = new ArrayList<>();
    filter.forEach(
        (name, value) -> parts.add(MatchStage.of(new BsonDocument(name, value), match.context())));
    return parts;
  }

  /** Insertion sort: every stage passes those before it that it may pass. */
  private static void moveForward(List<Stage> stages) {
    for (int i = 1; i < stages.size(); i++) {
      int at = place(stages, i, stages.get(i));
      Collections.rotate(stages.subList(at, i + 1), 1);
    }
  }

  /** Where a stage that comes in at a position may go, to be as near to the source as can be. */
  static int place(List<Stage> stages, int position, Stage stage) {
    int best = position;
    for (int at = position; at > 0 && mayPass(stage, stages.get(at - 1)); at--) {
      // There is nothing to be gained from being before another match alone.
      if (!(stages.get(at - 1) instanceof MatchStage)) {
        best = at - 1;
      }
    }
    return best;
  }

  private static boolean mayPass(Stage stage, Stage before) {
    if (stage instanceof CountedStage) {
      return before instanceof ProjectStage || before instanceof AddFieldsStage;
    }
    if (!(stage instanceof MatchStage match)) {
      return false;
    }
    if (before instanceof MatchStage) {
      return true;
    }
    if (before instanceof SortStage sort) {
      return sort.limit() == 0;
    }
    Set<String> paths = FilterFields.of(match.document().toBsonDocument(), match.context());
    return paths != null && paths.stream().allMatch(before::preserves);
  }

  private static void limitSorts(List<Stage> stages) {
    for (int i = 0; i < stages.size(); i++) {
      if (!(stages.get(i) instanceof SortStage sort)) {
        continue;
      }
      long skipped = 0;
      int next = i + 1;
      while (next < stages.size() && stages.get(next) instanceof SkipStage skip) {
        skipped += skip.count();
        next++;
      }
      if (next < stages.size() && stages.get(next) instanceof LimitStage limit) {
        long total = skipped + limit.count();
        if (skipped >= 0 && total > 0) {
          stages.set(i, sort.withLimit(total));
        }
      }
    }
  }
}
