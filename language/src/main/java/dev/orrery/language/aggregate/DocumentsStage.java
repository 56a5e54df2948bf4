package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $documents}: the documents that an expression gives. */
record DocumentsStage(Expression list, BsonDocument specification) implements Stage {
  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    // MongoDB makes a $project of it, whose rules for values and words for failures apply.
    Expression list =
        StageFailures.inStage(
            name,
            () -> {
              if (argument.isDocument() && argument.asDocument().isEmpty()) {
                throw new CommandException(
                    ErrorCode.LOCATION_51270,
                    "An empty sub-projection is not a valid value. Found empty object at path");
              }
              return Expressions.parse(argument, context.expressions());
            });
    return List.of(new DocumentsStage(list, new BsonDocument("$documents", argument)));
  }

  @Override
  public String name() {
    return "$documents";
  }

  @Override
  public Stage optimize() {
    return new DocumentsStage(list.optimize(), specification);
  }

  @Override
  public Set<Trait> traits() {
    return Set.of(Trait.FIRST, Trait.NO_COLLECTION, Trait.NOT_IN_FACET);
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      private @Nullable Iterator<BsonDocument> documents;

      @Override
      public @Nullable BsonDocument next() {
        if (documents == null) {
          documents = evaluate(run).iterator();
        }
        return documents.hasNext() ? documents.next() : null;
      }
    };
  }

  /** MongoDB holds each document in a field with a random name while it makes them. */
  private static String temporaryName() {
    var random = ThreadLocalRandom.current();
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }

  private List<BsonDocument> evaluate(PipelineRun run) {
    BsonValue value = list.evaluate(run.scope().root(new BsonDocument()));
    if (value == null || !value.isArray()) {
      throw new CommandException(ErrorCode.LOCATION_5858203, "an array is expected");
    }
    List<BsonDocument> documents = new ArrayList<>();
    for (BsonValue element : value.asArray()) {
      if (!element.isDocument()) {
        throw new CommandException(
            ErrorCode.LOCATION_40228,
            "'newRoot' expression  must evaluate to an object, but resulting value was: "
                + BsonText.aggregated(element)
                + ". Type of resulting value: '"
                + BsonText.typeName(element)
                + "'. Input document: "
                + BsonText.aggregated(new BsonDocument(temporaryName(), element)));
      }
      documents.add(element.asDocument());
    }
    return documents;
  }
}
