package dev.orrery.language.aggregate.stage;

import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Every document of the input, changed; one for which there is null is left out. */
public record Transformed(
    DocumentStream input, UnaryOperator<@Nullable BsonDocument> change, Runnable closing)
    implements DocumentStream {
  public Transformed(DocumentStream input, UnaryOperator<@Nullable BsonDocument> change) {
    this(input, change, () -> {});
  }

  @Override
  public @Nullable BsonDocument next() {
    for (BsonDocument one = input.next(); one != null; one = input.next()) {
      BsonDocument changed = change.apply(one);
      if (changed != null) {
        return changed;
      }
    }
    return null;
  }

  @Override
  public void close() {
    closing.run();
    input.close();
  }
}
