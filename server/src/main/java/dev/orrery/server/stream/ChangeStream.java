package dev.orrery.server.stream;

import dev.orrery.language.aggregate.stage.ChangeStreamOptions;
import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.ResumeToken;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.cursor.Following;
import dev.orrery.server.plan.Execution;
import dev.orrery.storage.Change;
import dev.orrery.storage.Changes;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.storage.StorageException;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.Collections;
import java.util.Iterator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** The events that one client watches. Between two requests it holds little but its place. */
public final class ChangeStream implements Environment.EventStream, Following {
  private static final int READ_BYTES = 1 << 20;
  private static final int TOKEN_SHOWN_CHARACTERS = 24;
  private static final String NO_COLLECTION = "$cmd.aggregate";

  private final ChangeHub hub;
  private final Execution execution;
  private final Watched watched;
  private final Events events;
  private final StructureEvents structures;
  private final @Nullable ResumeToken from;
  private @Nullable Changes own;
  private Iterator<CommittedGroup> groups = Collections.emptyIterator();
  private @Nullable CommittedGroup group;
  private BsonDocument mark = new BsonDocument();
  private int index;
  private long time;
  private @Nullable ResumeToken invalidation;
  private @Nullable BsonDocument last;
  private long lastTime;
  private boolean isOver;
  private boolean isClosed;

  /** How a stream was asked for. */
  public record Request(Namespace namespace, ChangeStreamOptions options, Execution execution) {}

  public ChangeStream(ChangeHub hub, Request request, DocumentLookup lookup) {
    this.hub = hub;
    this.execution = request.execution;
    ChangeStreamOptions options = request.options;
    this.watched = watched(request);
    this.events = new Events(options, lookup);
    this.structures = new StructureEvents(watched, events, options.shown().areMore());
    this.from = options.after();
    this.time = from == null ? hub.feed().newest() : before(from);
    if (from != null) {
      own = open();
    }
    hub.open();
  }

  private static Watched watched(Request request) {
    Namespace namespace = request.namespace;
    if (request.options.isForAll()) {
      return new Watched(null, null);
    }
    boolean isCollection = !namespace.collection().equals(NO_COLLECTION);
    return new Watched(namespace.database(), isCollection ? namespace.collection() : null);
  }

  /** The commit of an event is read again, as others in it may follow. */
  private static long before(ResumeToken token) {
    return token.kind() == ResumeToken.Kind.TIME ? token.time() : token.time() - 1;
  }

  private Changes open() {
    try {
      return hub.feed().after(time);
    } catch (StorageException e) {
      throw lost(e);
    }
  }

  private static RuntimeException lost(StorageException cause) {
    if (cause.reason() != StorageException.Reason.LOG_TRIMMED) {
      return cause;
    }
    return fatal(
        ErrorCode.CHANGE_STREAM_HISTORY_LOST,
        "Resume of change stream was not possible, as the resume point may no longer be in the"
            + " oplog: "
            + cause.getMessage());
  }

  static CommandException fatal(ErrorCode code, String message) {
    var labels = new BsonArray();
    labels.add(new BsonString("NonResumableChangeStreamError"));
    return new CommandException(code, message, new BsonDocument("errorLabels", labels));
  }

  @Override
  public @Nullable BsonDocument next() {
    BsonDocument event = find();
    if (event != null) {
      last = event.getDocument("_id");
    }
    return event;
  }

  private @Nullable BsonDocument find() {
    while (!isOver) {
      if (invalidation != null) {
        isOver = true;
        BsonDocument end = events.begin("invalidate", group, invalidation, null);
        lastTime = group.time();
        return end;
      }
      if (group == null && !nextGroup()) {
        return null;
      }
      if (index == group.changes().size()) {
        time = Math.max(time, group.time());
        group = null;
        continue;
      }
      BsonDocument event = eventAt(index++);
      if (event != null) {
        lastTime = group.time();
        return marked(event);
      }
    }
    return null;
  }

  /** The event of a change, or null; what ends the stream is noted. */
  private @Nullable BsonDocument eventAt(int at) {
    boolean isResumed = isAt(group.time()) && at <= from.index();
    if (isResumed && (at < from.index() || from.kind() == ResumeToken.Kind.INVALIDATION)) {
      return null;
    }
    Change change = group.changes().get(at);
    var token = new ResumeToken(group.time(), at, ResumeToken.Kind.EVENT);
    if (change instanceof Change.OfDocument document) {
      boolean isSeen = !isResumed && watched.includes(document.collection().namespace());
      return isSeen ? events.of(document, group, token) : null;
    }
    StructureEvents.Shown shown = structures.of(group, at, token);
    if (shown.isLast()) {
      invalidation = new ResumeToken(group.time(), at, ResumeToken.Kind.INVALIDATION);
    }
    return isResumed ? null : shown.event();
  }

  private boolean isAt(long groupTime) {
    return from != null && from.kind() != ResumeToken.Kind.TIME && from.time() == groupTime;
  }

  private boolean nextGroup() {
    while (!groups.hasNext()) {
      if (!read()) {
        return false;
      }
    }
    group = groups.next();
    mark = TransactionMark.of(group);
    index = 0;
    return true;
  }

  /** The event with what tells of its transaction in front. */
  private BsonDocument marked(BsonDocument event) {
    if (mark.isEmpty()) {
      return event;
    }
    var all = new BsonDocument();
    all.putAll(mark);
    all.putAll(event);
    return all;
  }

  /** Reads on; false when there is nothing yet. */
  private boolean read() {
    try {
      long before = time;
      if (own != null && !hub.reaches(time)) {
        groups = execution.await(own.next(READ_BYTES)).iterator();
        if (groups.hasNext()) {
          return true;
        }
        time = Math.max(time, own.time());
        boolean isCaughtUp = time == before;
        own = isCaughtUp ? null : own;
        return !isCaughtUp;
      }
      ChangeHub.Next next = hub.after(time, execution);
      if (next == null) {
        own = hub.feed().after(time);
        return true;
      }
      own = null;
      groups = next.groups().iterator();
      if (!groups.hasNext()) {
        time = next.upTo();
      }
      return groups.hasNext();
    } catch (StorageException e) {
      throw lost(e);
    }
  }

  @Override
  public BsonDocument placeAfter(@Nullable RawDocument end, boolean isDrained) {
    if (end != null && !isDrained) {
      return end.field("_id").asDocument().toBsonDocument();
    }
    // Nothing came after the last event: its own token says more than a time does.
    return last != null && lastTime >= time ? last : ResumeToken.upTo(time).toBson();
  }

  @Override
  public boolean isOver() {
    return isOver;
  }

  @Override
  public Ring listen() {
    return hub.listen();
  }

  /** Refuses what a pipeline made of the last event, if it changed the token. */
  public RawDocument requireToken(RawDocument result) {
    BsonDocument expected = new BsonDocument("_id", last);
    BsonDocument found = new BsonDocument();
    if (result.field("_id") != null) {
      found.append("_id", result.field("_id").toBsonValue());
    }
    if (!found.equals(expected)) {
      throw fatal(
          ErrorCode.CHANGE_STREAM_FATAL_ERROR,
          "Encountered an event whose _id field, which contains the resume token, was modified by"
              + " the pipeline. Modifying the _id field of an event makes it impossible to resume"
              + " the stream from that point. Only transformations that retain the unmodified _id"
              + " field are allowed. Expected: "
              + BsonText.document(new BsonDocument("_id", abbreviated(last)))
              + " but found: "
              + BsonText.document(found));
    }
    return result;
  }

  private static BsonDocument abbreviated(BsonDocument token) {
    String data = token.getString("_data").getValue();
    return new BsonDocument(
        "_data", new BsonString(data.substring(0, TOKEN_SHOWN_CHARACTERS) + "..."));
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      hub.close();
    }
  }
}
