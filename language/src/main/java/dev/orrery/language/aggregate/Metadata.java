package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.query.FilterMetadata;
import dev.orrery.language.query.TextFilters;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/*
 * A pipeline pulls documents one by one, so what the query tells of the last one is what holds for
 * the document that is on its way, up to the first stage that collects several. There it ends.
 */

/** What the query of a pipeline tells of its documents, and how far they keep it. */
final class Metadata {
  private Metadata() {}

  /** Refuses what no query provides, and what we would lose on the way. */
  static void require(List<Stage> stages) {
    var dependencies = new Dependencies();
    stages.forEach(stage -> stage.addDependencies(dependencies));
    dependencies.requireMetadata(available(stages));
    int head = Head.of(stages).length();
    for (int i = head; i < stages.size() && isKeptBy(stages.get(i)); i++) {
      boolean isSort = i + 1 < stages.size() && stages.get(i + 1) instanceof SortStage;
      if (isSort && isNeededFrom(i + 1, stages)) {
        throw new CommandException(
            ErrorCode.NOT_IMPLEMENTED,
            "$meta of a search after a $sort that does not follow the $match at once is not"
                + " implemented");
      }
    }
  }

  private static Set<String> available(List<Stage> stages) {
    if (!stages.isEmpty() && stages.get(0) instanceof GeoNearStage) {
      return Set.of(FilterMetadata.DISTANCE, FilterMetadata.POINT);
    }
    return !stages.isEmpty() && hasSearch(stages.get(0)) ? Set.of(FilterMetadata.SCORE) : Set.of();
  }

  static boolean hasSearch(Stage stage) {
    return stage instanceof MatchStage match && TextFilters.find(match.filter()) != null;
  }

  private static boolean isNeededFrom(int first, List<Stage> stages) {
    var dependencies = new Dependencies();
    stages.subList(first, stages.size()).forEach(stage -> stage.addDependencies(dependencies));
    return dependencies.metadata().stream()
        .anyMatch(
            Set.of(FilterMetadata.SCORE, FilterMetadata.DISTANCE, FilterMetadata.POINT)::contains);
  }

  static boolean isKeptBy(Stage stage) {
    return stage instanceof MatchStage
        || stage instanceof ProjectStage
        || stage instanceof AddFieldsStage
        || stage instanceof LimitStage
        || stage instanceof SkipStage
        || stage instanceof UnwindStage
        || stage instanceof ReplaceRootStage
        || stage instanceof GeoNearStage;
  }

  /** Documents of which nothing is known any more. */
  static DocumentStream lost(DocumentStream stream, PipelineRun run) {
    return new DocumentStream() {
      @Override
      public @Nullable BsonDocument next() {
        BsonDocument next = stream.next();
        run.scope().metadata(Map.of());
        return next;
      }

      @Override
      public void close() {
        stream.close();
      }
    };
  }
}
