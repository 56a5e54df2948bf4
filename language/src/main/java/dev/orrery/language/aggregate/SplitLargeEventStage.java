package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.EventFailures;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.ResumeToken;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $changeStreamSplitLargeEvent}: an event that is too large for a reply comes in fragments,
 * each with some of its fields and {@code splitEvent: {fragment, of}}.
 *
 * @param after the fragment behind which the stream goes on; null for none
 */
record SplitLargeEventStage(BsonDocument specification, @Nullable ResumeToken after)
    implements Stage {
  static final String NAME = "$changeStreamSplitLargeEvent";

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument() || !argument.asDocument().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_7182800,
          "$changeStreamSplitLargeEvent spec should be an empty object, got: "
              + BsonText.element(name, argument));
    }
    return List.of(new SplitLargeEventStage(new BsonDocument(name, argument), null));
  }

  /** The same for a stream that goes on behind that token. */
  SplitLargeEventStage after(@Nullable ResumeToken token) {
    return new SplitLargeEventStage(
        specification, token != null && token.isOfFragment() ? token : null);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<Trait> traits() {
    return Set.of(Trait.NOT_IN_FACET, Trait.NOT_IN_LOOKUP, Trait.NOT_IN_UNION);
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new Fragments(input, after);
  }

  /** Events, those that are too large in parts. */
  private static final class Fragments implements DocumentStream {
    private final DocumentStream input;
    private final Queue<BsonDocument> left = new ArrayDeque<>();
    private @Nullable ResumeToken after;

    Fragments(DocumentStream input, @Nullable ResumeToken after) {
      this.input = input;
      this.after = after;
    }

    @Override
    public @Nullable BsonDocument next() {
      while (left.isEmpty()) {
        BsonDocument event = input.next();
        int skipped = event == null ? 0 : skipped(event);
        if (event == null || (skipped == 0 && EventFragments.isSmall(event))) {
          return event;
        }
        List<BsonDocument> all = EventFragments.of(event);
        if (EventFragments.isSmall(event) || skipped > all.size()) {
          throw EventFailures.fatal(
              ErrorCode.CHANGE_STREAM_FATAL_ERROR,
              "Attempted to resume from a split event, but the resumed stream produced a different"
                  + " split. Ensure that the pipeline used to resume is the same as the original");
        }
        left.addAll(all.subList(skipped, all.size()));
      }
      return left.remove();
    }

    /** How many fragments of the event the client has seen. */
    private int skipped(BsonDocument event) {
      ResumeToken place = after;
      after = null;
      return place != null && EventFragments.isAt(event, place) ? place.fragment() + 1 : 0;
    }

    @Override
    public void close() {
      input.close();
    }
  }
}
