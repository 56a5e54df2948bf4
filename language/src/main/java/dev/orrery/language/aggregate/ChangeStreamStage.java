package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.ChangeStreamOptions;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.ResumedEvents;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.Namespace;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * {@code $changeStream}: what happens in a collection, a database, or everywhere.
 *
 * @param matches the stages right behind it, which MongoDB lets look before it looks for the event
 *     that a token names
 */
record ChangeStreamStage(
    ChangeStreamOptions options,
    Namespace namespace,
    BsonDocument specification,
    List<MatchStage> matches)
    implements Stage {
  private static final Set<String> INTERNAL = Set.of("admin", "config", "local");

  /** What may follow: stages that look at one event at a time. */
  static final Set<String> FOLLOWERS =
      Set.of(
          "$addFields",
          "$changeStreamSplitLargeEvent",
          "$match",
          "$project",
          "$redact",
          "$replaceRoot",
          "$replaceWith",
          "$set",
          "$unset");

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_6188500,
          "$changeStream must take a nested object but found: " + BsonText.element(name, argument));
    }
    var options =
        ChangeStreamOptions.parse(
            argument.asDocument(), parsed -> requireWatchable(parsed, context));
    var specification = new BsonDocument(name, argument);
    return List.of(new ChangeStreamStage(options, context.namespace(), specification, List.of()));
  }

  /** The same with conditions that its events must meet. */
  ChangeStreamStage matching(List<MatchStage> matches) {
    List<BsonDocument> conditions =
        matches.stream().map(match -> match.document().toBsonDocument()).toList();
    return new ChangeStreamStage(options.matching(conditions), namespace, specification, matches);
  }

  private static void requireWatchable(ChangeStreamOptions options, PipelineContext context) {
    Namespace namespace = context.namespace();
    if (options.isForAll()) {
      if (context.hasCollection() || !context.database().equals("admin")) {
        throw new CommandException(
            ErrorCode.INVALID_OPTIONS,
            "A $changeStream with 'allChangesForCluster:true' may only be opened on the 'admin'"
                + " database, and with no collection name; found "
                + namespace);
      }
      return;
    }
    if (INTERNAL.contains(context.database())) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE,
          "$changeStream may not be opened on the internal %s database"
              .formatted(context.database()));
    }
    if (context.hasCollection() && namespace.collection().startsWith("system.")) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE,
          "$changeStream may not be opened on the internal %s collection".formatted(namespace));
    }
  }

  /** The name of the first of those stages that MongoDB makes of it. */
  @Override
  public String name() {
    return "$_internalChangeStreamOplogMatch";
  }

  @Override
  public Set<Trait> traits() {
    return Set.of(
        Trait.FIRST,
        Trait.ON_ANYTHING,
        Trait.NOT_IN_FACET,
        Trait.NOT_IN_LOOKUP,
        Trait.NOT_IN_UNION);
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    Environment.EventStream events = run.environment().changes(namespace, options);
    return new ResumedEvents(
        events, matches.stream().map(match -> match.bound(run)).toList(), events.hasPoint());
  }
}
