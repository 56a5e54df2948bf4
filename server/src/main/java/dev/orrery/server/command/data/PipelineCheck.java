package dev.orrery.server.command.data;

import dev.orrery.server.command.CommandContext;
import dev.orrery.value.Namespace;
import java.util.List;
import org.bson.BsonDocument;

/** Finds the errors of a pipeline without running it. */
@FunctionalInterface
public interface PipelineCheck {
  /** Accepts every pipeline. */
  PipelineCheck NONE = (context, on, stages) -> {};

  void require(CommandContext context, Namespace on, List<BsonDocument> stages);
}
