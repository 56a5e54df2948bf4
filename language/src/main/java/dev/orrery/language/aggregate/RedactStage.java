package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.Transformed;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.limit.Allowance;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $redact}: an expression decides at each level what of a document stays. */
record RedactStage(Expression decision, int current, BsonDocument specification) implements Stage {
  private static final BsonString DESCEND = new BsonString("descend");
  private static final BsonString KEEP = new BsonString("keep");
  private static final BsonString PRUNE = new BsonString("prune");

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    ParseContext variables = context.expressions().withRedactVariables().withVariable("CURRENT");
    return List.of(
        new RedactStage(
            Expressions.parse(argument, variables),
            variables.slot("CURRENT"),
            new BsonDocument("$redact", argument)));
  }

  @Override
  public String name() {
    return "$redact";
  }

  @Override
  public Stage optimize() {
    return new RedactStage(decision.optimize(), current, specification);
  }

  @Override
  public boolean isPerDocument() {
    return true;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new Transformed(input, document -> redact(document, run.scope().root(document)));
  }

  private @Nullable BsonDocument redact(BsonDocument document, Scope scope) {
    BsonValue decided = decision.evaluate(scope.bind(current, document));
    if (KEEP.equals(decided)) {
      return document;
    }
    if (PRUNE.equals(decided)) {
      return null;
    }
    if (!DESCEND.equals(decided)) {
      throw new CommandException(
          ErrorCode.LOCATION_17053,
          "$redact's expression should not return anything aside from the variables $$KEEP,"
              + " $$DESCEND, and $$PRUNE, but returned "
              + BsonText.aggregated(decided));
    }
    var rest = new BsonDocument();
    document.forEach(
        (name, value) -> {
          BsonValue kept = descend(value, scope);
          if (kept != null) {
            rest.put(name, kept);
          }
        });
    return rest;
  }

  private @Nullable BsonValue descend(BsonValue value, Scope scope) {
    if (value instanceof BsonDocument fields) {
      return redact(fields, scope);
    }
    if (!(value instanceof BsonArray elements)) {
      return value;
    }
    Allowance.current().steps(elements.size());
    var rest = new BsonArray(elements.size());
    for (BsonValue element : elements) {
      BsonValue kept = descend(element, scope);
      if (kept != null) {
        rest.add(kept);
      }
    }
    return rest;
  }
}
