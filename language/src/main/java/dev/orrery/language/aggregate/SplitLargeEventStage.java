package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * {@code $changeStreamSplitLargeEvent}: lets events through. One that is too large for a reply
 * still ends the stream, as without it.
 */
record SplitLargeEventStage(BsonDocument specification) implements Stage {
  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument() || !argument.asDocument().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_7182800,
          "$changeStreamSplitLargeEvent spec should be an empty object, got: "
              + BsonText.element(name, argument));
    }
    return List.of(new SplitLargeEventStage(new BsonDocument(name, argument)));
  }

  @Override
  public String name() {
    return "$changeStreamSplitLargeEvent";
  }

  @Override
  public Set<Trait> traits() {
    return Set.of(Trait.NOT_IN_FACET, Trait.NOT_IN_LOOKUP, Trait.NOT_IN_UNION);
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return input;
  }
}
