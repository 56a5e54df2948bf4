package dev.orrery.language.aggregate.window;

import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.limit.Holding;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The documents of one partition of $setWindowFields, in their order.
 *
 * @param sortPath the field they are sorted by, if it is one; else null
 * @param holding counts what the functions remember
 */
record WindowPartition(
    List<BsonDocument> documents,
    @Nullable List<String> sortPath,
    PipelineRun run,
    Holding holding) {
  BsonDocument document(int place) {
    return documents.get(place);
  }

  /** An expression over the document at that place; null if it is missing. */
  @Nullable BsonValue evaluate(Expression expression, int place) {
    return expression.evaluate(run.scope().root(documents.get(place)));
  }

  /** Throws when a function remembers more than a stage may have in memory. */
  void limit(long bytes) {
    if (!run.spill().fits(holding, bytes - holding.bytes())) {
      throw new CommandException(
          ErrorCode.LOCATION_5414201,
          "Exceeded memory limit in DocumentSourceSetWindowFields, used "
              + bytes
              + " bytes but max allowed is "
              + Math.min(bytes, run.spill().bytesMax()));
    }
  }

  int size() {
    return documents.size();
  }

  /** What the document at that place is sorted by; null if it is missing. */
  @Nullable BsonValue sortValue(int place) {
    return Documents.at(documents.get(place), sortPath);
  }
}
