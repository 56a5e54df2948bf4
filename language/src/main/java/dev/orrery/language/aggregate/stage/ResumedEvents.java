package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Filter;
import dev.orrery.value.RawDocument;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Events behind the one that a token names, which must be among those that the stream and its first
 * conditions let through: else somebody goes on elsewhere than he believes.
 */
public final class ResumedEvents implements DocumentStream {
  private final Environment.EventStream events;
  private final List<Filter> conditions;
  private boolean isAwaited;

  /**
   * @param isAwaited whether there is such an event, and it has not come yet
   */
  public ResumedEvents(Environment.EventStream events, List<Filter> conditions, boolean isAwaited) {
    this.events = events;
    this.conditions = conditions;
    this.isAwaited = isAwaited;
  }

  @Override
  public @Nullable BsonDocument next() {
    BsonDocument event = events.next();
    while (isAwaited && event != null && events.isPoint()) {
      isAwaited = !passes(event);
      event = events.next();
    }
    if (isAwaited && event != null && events.hasPoint() && passes(event)) {
      throw EventFailures.fatal(
          ErrorCode.CHANGE_STREAM_FATAL_ERROR,
          "cannot resume stream; the resume token was not found. "
              + BsonText.aggregated(event.getDocument("_id")));
    }
    return event;
  }

  private boolean passes(BsonDocument event) {
    RawDocument document = RawDocument.of(event);
    return conditions.stream().allMatch(condition -> condition.matches(document));
  }

  @Override
  public void close() {
    events.close();
  }
}
