package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.EventFailures;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import java.util.Set;

/** Which stages may stand where. */
final class PipelineRules {
  private PipelineRules() {}

  /** A match without conditions is no stage for $geoNear, which must be the first. */
  static void leaveOutBeforeNear(List<Stage> stages) {
    if (stages.stream().anyMatch(GeoNearStage.class::isInstance)) {
      while (stages.get(0) instanceof MatchStage match && match.document().isEmpty()) {
        stages.remove(0);
      }
    }
  }

  static void requirePositions(List<Stage> stages) {
    for (int i = 0; i < stages.size(); i++) {
      Stage stage = stages.get(i);
      requireOnEvents(stages.get(0), stage);
      if (stage instanceof SplitLargeEventStage && i < stages.size() - 1) {
        throw new CommandException(
            ErrorCode.LOCATION_7182802, stage.name() + " must be the last stage in the pipeline");
      }
      if (i > 0 && stage.traits().contains(Stage.Trait.FIRST)) {
        throw new CommandException(
            ErrorCode.LOCATION_40602,
            stage.name() + " is only valid as the first stage in a pipeline");
      }
      if (i > 0 && Metadata.hasSearch(stage)) {
        throw new CommandException(
            ErrorCode.LOCATION_17313,
            "$match with $text is only allowed as the first pipeline stage");
      }
      if (i > 0 && stage instanceof GeoNearStage) {
        throw new CommandException(
            ErrorCode.LOCATION_40603,
            "$geoNear was not the first stage in the pipeline after optimization. Is optimization"
                + " disabled or inhibited?");
      }
      if (i < stages.size() - 1 && stage.traits().contains(Stage.Trait.LAST)) {
        throw new CommandException(
            ErrorCode.LOCATION_40601,
            stage.name() + " can only be the final stage in the pipeline");
      }
    }
  }

  /** Refuses to go on inside of an event when it is not told in parts. */
  private static void requireFragments(List<Stage> stages) {
    boolean isInside =
        stages.get(0) instanceof ChangeStreamStage first
            && first.options().after() != null
            && first.options().after().isOfFragment();
    if (isInside && !(stages.get(stages.size() - 1) instanceof SplitLargeEventStage)) {
      throw EventFailures.fatal(
          ErrorCode.CHANGE_STREAM_FATAL_ERROR,
          "To resume from a split event, the $changeStream pipeline must end with "
              + SplitLargeEventStage.NAME);
    }
  }

  /** Refuses a search by distance among events, before it looks for its index. */
  static void requireNotNear(List<Stage> before, String name) {
    if (name.equals("$geoNear")
        && !before.isEmpty()
        && before.get(0) instanceof ChangeStreamStage) {
      throw notPermitted(name);
    }
  }

  private static CommandException notPermitted(String name) {
    return new CommandException(
        ErrorCode.ILLEGAL_OPERATION, name + " is not permitted in a $changeStream pipeline");
  }

  /** Refuses what cannot follow a stream of changes, or cannot do without. */
  private static void requireOnEvents(Stage first, Stage stage) {
    boolean isOnEvents = first instanceof ChangeStreamStage;
    if (isOnEvents
        && !(stage instanceof ChangeStreamStage)
        && !ChangeStreamStage.FOLLOWERS.contains(stage.name())) {
      throw notPermitted(stage.name());
    }
    if (!isOnEvents && stage instanceof SplitLargeEventStage) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION,
          stage.name() + " can only be used in a $changeStream pipeline");
    }
  }

  /** The rules of a command's own pipeline. */
  static void requireValid(List<Stage> stages, PipelineContext context) {
    if (!stages.isEmpty()) {
      requireFragments(stages);
    }
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
    Set<Stage.Trait> traits = stages.get(0).traits();
    if (!traits.contains(Stage.Trait.NO_COLLECTION) && !traits.contains(Stage.Trait.ON_ANYTHING)) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE,
          "{aggregate: 1} is not valid for '"
              + stages.get(0).name()
              + "'; a collection is required.");
    }
  }
}
