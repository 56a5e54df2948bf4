package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.CountedStage;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.query.FilterMetadata;
import dev.orrery.language.query.TextFilters;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/*
 * A pipeline pulls documents one by one, so what the query tells of the last one is what holds for
 * the document that is on its way, up to the first stage that makes one of several. There it ends. A
 * sort keeps it beside each document.
 */

/** What the query of a pipeline tells of its documents, and how far they keep it. */
final class Metadata {
  private Metadata() {}

  /** Refuses what no query provides. */
  static void require(List<Stage> stages) {
    var dependencies = new Dependencies();
    stages.forEach(stage -> stage.addDependencies(dependencies));
    dependencies.requireMetadata(available(stages));
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

  static boolean isKeptBy(Stage stage) {
    return stage instanceof MatchStage
        || stage instanceof ProjectStage
        || stage instanceof AddFieldsStage
        || stage instanceof CountedStage
        || stage instanceof UnwindStage
        || stage instanceof ReplaceRootStage
        || stage instanceof SortStage
        || stage instanceof GeoNearStage;
  }

  /** The current document with what is known of it, as one that can be kept anywhere. */
  static BsonDocument pack(BsonDocument document, Scope scope) {
    var metadata = new BsonDocument();
    metadata.putAll(scope.metadata());
    return new BsonDocument("document", document).append("metadata", metadata);
  }

  /** A document that was packed; what was known of it is known again. */
  static BsonDocument unpack(BsonDocument packed, Scope scope) {
    scope.metadata(packed.getDocument("metadata"));
    return packed.getDocument("document");
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
