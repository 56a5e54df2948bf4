package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;

/** Which stages may stand where. */
final class PipelineRules {
  private PipelineRules() {}

  static void requirePositions(List<Stage> stages) {
    for (int i = 0; i < stages.size(); i++) {
      Stage stage = stages.get(i);
      if (i > 0 && stage.traits().contains(Stage.Trait.FIRST)) {
        throw new CommandException(
            ErrorCode.LOCATION_40602,
            stage.name() + " is only valid as the first stage in a pipeline");
      }
      if (i < stages.size() - 1 && stage.traits().contains(Stage.Trait.LAST)) {
        throw new CommandException(
            ErrorCode.LOCATION_40601,
            stage.name() + " can only be the final stage in the pipeline");
      }
    }
  }

  /** The rules of a command's own pipeline. */
  static void requireValid(List<Stage> stages, PipelineContext context) {
    if (context.hasCollection()) {
      if (!stages.isEmpty() && stages.get(0).traits().contains(Stage.Trait.NO_COLLECTION)) {
        throw new CommandException(
            ErrorCode.INVALID_NAMESPACE,
            "'" + stages.get(0).name() + "' can only be run with {aggregate: 1}");
      }
      return;
    }
    if (stages.isEmpty()) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE, "{aggregate: 1} is not valid for an empty pipeline.");
    }
    if (!stages.get(0).traits().contains(Stage.Trait.NO_COLLECTION)) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE,
          "{aggregate: 1} is not valid for '"
              + stages.get(0).name()
              + "'; a collection is required.");
    }
  }
}
