package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.Namespace;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $out}: makes a collection of the documents, in place of the one that was there. */
record OutStage(Namespace target, BsonDocument specification) implements Stage {
  /** Stages that write stand last, and alone. */
  static final Set<Trait> TRAITS =
      Set.of(Trait.LAST, Trait.NOT_IN_FACET, Trait.NOT_IN_LOOKUP, Trait.NOT_IN_UNION);

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    String database = context.database();
    String collection;
    if (argument.isString()) {
      collection = argument.asString().getValue();
    } else if (argument.isDocument()) {
      BsonDocument options = argument.asDocument();
      StageFailures.requireKnown("$out", options, List.of("db", "coll", "timeseries"));
      database = requireText(options, "db");
      collection = requireText(options, "coll");
    } else {
      throw new CommandException(
          ErrorCode.LOCATION_16990,
          "$out only supports a string or object argument, but found "
              + BsonText.typeName(argument));
    }
    Namespace target = TargetName.OUT.require(database, collection);
    return List.of(new OutStage(target, new BsonDocument(name, argument)));
  }

  private static String requireText(BsonDocument options, String field) {
    BsonValue value = StageFailures.typed("$out", options, field, BsonType.STRING);
    if (value == null) {
      throw StageFailures.missing("$out." + field);
    }
    return value.asString().getValue();
  }

  @Override
  public String name() {
    return "$out";
  }

  @Override
  public Set<Trait> traits() {
    return TRAITS;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      @Override
      public @Nullable BsonDocument next() {
        try (var replacement = run.environment().output().replace(target)) {
          for (BsonDocument one = input.next(); one != null; one = input.next()) {
            replacement.insert(one);
          }
          replacement.commit();
        }
        return null;
      }

      @Override
      public void close() {
        input.close();
      }
    };
  }
}
