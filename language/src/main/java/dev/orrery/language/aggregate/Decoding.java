package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.expression.Work;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Documents of a collection, decoded as far as the stages need them.
 *
 * @param scope learns their metadata
 */
record Decoding(Environment.RawStream raw, Function<RawDocument, BsonDocument> decoder, Scope scope)
    implements DocumentStream {

  static DocumentStream of(Environment.RawStream raw, List<Stage> stages, Scope scope) {
    if (stages.isEmpty()) {
      return new Decoding(raw, RawDocument::asRawBson, scope);
    }
    var dependencies = new Dependencies();
    Pipeline.addDependencies(stages, dependencies);
    if (dependencies.needsWholeDocument()) {
      return new Decoding(raw, RawDocument::toBsonDocument, scope);
    }
    return new Decoding(raw, FieldSelection.of(dependencies.fields())::decode, scope);
  }

  @Override
  public @Nullable BsonDocument next() {
    RawDocument next = raw.next();
    if (next == null) {
      return null;
    }
    Work.countBytes(next.length());
    scope.metadata(raw.metadata());
    return decoder.apply(next);
  }

  @Override
  public void close() {
    raw.close();
  }
}
