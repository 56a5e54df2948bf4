package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.limit.Holding;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What one run of $lookup finds in the other collection. A pipeline that does not depend on the
 * document runs once; an equality on a field without an index is looked up in a hash table, if the
 * collection fits into memory; else the pipeline runs for every document.
 */
final class ForeignDocuments implements AutoCloseable {
  private final LookupStage stage;
  private final PipelineRun run;
  private boolean isCacheable;
  private boolean isHashable;
  private @Nullable List<BsonDocument> cache;
  private @Nullable HashJoin table;
  private final Holding kept;
  private final Holding found;

  ForeignDocuments(LookupStage stage, PipelineRun run) {
    this.stage = stage;
    this.run = run;
    this.kept = new Holding(run.spill().memory());
    this.found = new Holding(run.spill().memory());
    boolean isIndependent = stage.let().isEmpty() && stage.pipeline().isRepeatable();
    this.isCacheable = isIndependent && stage.join() == null;
    this.isHashable = isIndependent && stage.join() != null && isUnindexed();
  }

  private boolean isUnindexed() {
    Pipeline pipeline = stage.pipeline();
    return pipeline.isOnCollection()
        && !run.environment().hasIndex(pipeline.context().namespace(), stage.join().foreignField());
  }

  /** What is found for a document, as an array that must not get too large. */
  BsonArray all(BsonDocument local) {
    var all = new BsonArray();
    found.clear(); // the array before this one has been used
    try (DocumentStream stream = open(local)) {
      for (BsonDocument one = stream.next(); one != null; one = stream.next()) {
        all.add(one);
        if (!run.spill().fits(found, Documents.heapBytes(one))) {
          throw new CommandException(
              ErrorCode.LOCATION_4568,
              "Total size of documents in "
                  + stage.pipeline().context().namespace().collection()
                  + " matching pipeline's $lookup stage exceeds "
                  + Math.min(run.spill().bytesMax(), found.bytes())
                  + " bytes");
        }
      }
    }
    return all;
  }

  /** What is found for a document, one after the other. */
  DocumentStream open(BsonDocument local) {
    if (isCacheable && cache == null) {
      cache = readAll();
      isCacheable = cache != null;
    }
    if (cache != null) {
      return DocumentStream.of(cache.iterator());
    }
    return stage.join() == null ? stage.pipeline().open(inner(local)) : joined(local);
  }

  private PipelineRun inner(BsonDocument local) {
    PipelineRun inner = run.fork();
    Scope scope = run.scope().root(local);
    stage.let().forEach((slot, value) -> inner.scope().bind(slot, value.evaluate(scope)));
    return inner;
  }

  /** The results of a pipeline for all documents; null if they are too large to be kept. */
  private @Nullable List<BsonDocument> readAll() {
    var all = new ArrayList<BsonDocument>();
    try (DocumentStream stream = stage.pipeline().open(run.fork())) {
      for (BsonDocument one = stream.next(); one != null; one = stream.next()) {
        all.add(one);
        if (!run.spill().fits(kept, Documents.heapBytes(one))) {
          kept.clear();
          return null;
        }
      }
    }
    return all;
  }

  private DocumentStream joined(BsonDocument local) {
    LookupStage.Join join = stage.join();
    Pipeline pipeline = stage.pipeline();
    if (isHashable && table == null) {
      table = HashJoin.build(stage, run, kept);
      isHashable = table != null;
    }
    List<BsonValue> keys = LookupStage.localValues(local, join.localField());
    var match = MatchStage.of(LookupStage.equality(join.foreignField(), keys), pipeline.context());
    if (table == null) {
      return pipeline.with(join.head(), match).open(inner(local));
    }
    return pipeline
        .part(join.head(), pipeline.stages().size())
        .openOn(table.find(keys, match.filter()), run.fork());
  }

  @Override
  public void close() {
    kept.close();
    found.close();
  }
}
