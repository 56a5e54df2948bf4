package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Work;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Documents of a collection, decoded as far as the stages need them. */
record Decoding(Environment.RawStream raw, Function<RawDocument, BsonDocument> decoder)
    implements DocumentStream {

  static DocumentStream of(Environment.RawStream raw, List<Stage> stages) {
    if (stages.isEmpty()) {
      return new Decoding(raw, RawDocument::asRawBson);
    }
    var dependencies = new Dependencies();
    Pipeline.addDependencies(stages, dependencies);
    if (dependencies.needsWholeDocument()) {
      return new Decoding(raw, RawDocument::toBsonDocument);
    }
    return new Decoding(raw, FieldSelection.of(dependencies.fields())::decode);
  }

  @Override
  public @Nullable BsonDocument next() {
    RawDocument next = raw.next();
    if (next == null) {
      return null;
    }
    Work.countBytes(next.length());
    return decoder.apply(next);
  }

  @Override
  public void close() {
    raw.close();
  }
}
