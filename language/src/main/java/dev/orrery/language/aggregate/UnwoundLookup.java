package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.RestingDocument;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** A $lookup that unwinds: each document comes once for every one that is found for it. */
final class UnwoundLookup implements DocumentStream {
  private final LookupStage.Target target;
  private final DocumentStream input;
  private final ForeignDocuments foreign;
  private final RestingDocument local;
  private @Nullable DocumentStream found;
  private long count;

  UnwoundLookup(
      LookupStage stage, DocumentStream input, ForeignDocuments foreign, PipelineRun.Spill spill) {
    this.target = stage.target();
    this.input = input;
    this.foreign = foreign;
    this.local = new RestingDocument(stage.name(), spill);
  }

  @Override
  public @Nullable BsonDocument next() {
    for (; ; ) {
      if (found == null) {
        BsonDocument document = input.next();
        local.set(document);
        if (document == null) {
          return null;
        }
        found = foreign.open(document);
        count = 0;
      }
      BsonDocument next = found.next();
      if (next != null) {
        return withIndex(Documents.with(local.get(), target.as(), next), new BsonInt64(count++));
      }
      closeFound();
      if (count == 0 && target.unwind().isKept()) {
        return withIndex(Documents.with(local.get(), target.as(), null), BsonNull.VALUE);
      }
    }
  }

  private BsonDocument withIndex(BsonDocument document, BsonValue position) {
    List<String> index = target.unwind().index();
    return index == null ? document : Documents.with(document, index, position);
  }

  private void closeFound() {
    if (found != null) {
      found.close();
      found = null;
    }
  }

  @Override
  public void close() {
    closeFound();
    local.close();
    foreign.close();
    input.close();
  }
}
