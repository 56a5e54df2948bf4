package dev.orrery.server.stream;

import dev.orrery.language.aggregate.stage.ChangeStreamOptions;
import dev.orrery.language.aggregate.stage.Environment;
import dev.orrery.language.aggregate.stage.EventFailures;
import dev.orrery.language.aggregate.stage.KeyRange;
import dev.orrery.language.aggregate.stage.ResumeToken;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Holding;
import dev.orrery.language.limit.Resting;
import dev.orrery.server.cursor.Following;
import dev.orrery.server.plan.Execution;
import dev.orrery.storage.Change;
import dev.orrery.storage.Changes;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.storage.StorageException;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.LongPredicate;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The events that one client watches. Between two requests it holds little but its place. */
public final class ChangeStream implements Environment.EventStream, Following, Resting {
  private static final int READ_BYTES = 1 << 20;

  /** What a stream may keep between two requests; it reads again what is more. */
  private static final int KEPT_BYTES_MAX = 256 << 10;

  /** Documents of that size are asked for before an event is made of them. */
  private static final int LARGE_BYTES = 128 << 10;

  private static final int TOKEN_SHOWN_CHARACTERS = 24;
  private static final String NO_COLLECTION = "$cmd.aggregate";

  private final ChangeHub hub;
  private final Execution execution;
  private final Watched watched;
  private final Events events;
  private final StructureEvents structures;
  private final DocumentLookup lookup;
  private final Narrowing narrowing;
  private final @Nullable CosmosShape shape;
  private final LongPredicate hasImages;

  /** Equal for streams with equal events; null when events are not only of their changes. */
  private final @Nullable Object form;

  private final @Nullable ResumeToken from;
  private @Nullable Changes own;
  private final Deque<CommittedGroup> groups = new ArrayDeque<>();
  private final Holding holding;
  private long groupsBytes;
  private long awaited;
  private boolean isTooMuch;
  private boolean lacksRoom;
  private LongPredicate hasRoom = bytes -> true;
  private @Nullable CommittedGroup group;
  private BsonDocument mark = new BsonDocument();
  private int index;
  private long leftTime;
  private int leftIndex;
  private long time;
  private @Nullable ResumeToken invalidation;
  private @Nullable BsonDocument last;
  private long lastTime;

  /** The last event that came through the whole pipeline, and the time of its commit. */
  private @Nullable BsonDocument told;

  private long toldTime;
  private boolean isOver;
  private boolean isClosed;

  /** Whether the event that the token names is shown once more, for the conditions to see it. */
  private boolean hasPoint;

  private boolean isPoint;

  /**
   * How a stream was asked for.
   *
   * @param shape null for that of MongoDB
   * @param hasImages whether images of a change at that time, by the wall clock, may be shown
   */
  public record Request(
      Namespace namespace,
      ChangeStreamOptions options,
      Execution execution,
      @Nullable CosmosShape shape,
      LongPredicate hasImages) {}

  public ChangeStream(ChangeHub hub, Request request, DocumentLookup lookup) {
    this.hub = hub;
    this.execution = request.execution;
    this.holding = new Holding(execution.memory());
    ChangeStreamOptions options = request.options;
    this.watched = watched(request);
    this.shape = request.shape;
    this.lookup = lookup;
    this.narrowing = new Narrowing(watched, options);
    boolean isAlone =
        options.fullDocument() == ChangeStreamOptions.Image.LOOKED_UP
            || !narrowing.range().equals(KeyRange.ALL);
    this.form = isAlone ? null : List.of(options.images(), options.shown());
    this.hasImages = request.hasImages;
    this.events = new Events(options, lookup, hasImages);
    this.structures = new StructureEvents(watched, events, options.shown().areMore());
    this.from = options.after();
    this.hasPoint =
        shape == null
            && from != null
            && from.kind() == ResumeToken.Kind.EVENT
            && !from.isOfFragment();
    this.time = from == null ? hub.feed().newest() : before(from);
    if (from != null) {
      own = open();
    }
    hub.open();
    execution.memory().add(this);
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
      return hub.feed().after(time, narrowing);
    } catch (StorageException e) {
      throw lost(e);
    }
  }

  private RuntimeException lost(StorageException cause) {
    if (cause.reason() != StorageException.Reason.LOG_TRIMMED) {
      return cause;
    }
    if (shape != null && shape.areTokensCosmos()) {
      return CosmosToken.expired();
    }
    return EventFailures.fatal(
        ErrorCode.CHANGE_STREAM_HISTORY_LOST,
        "Resume of change stream was not possible, as the resume point may no longer be in the"
            + " oplog: "
            + cause.getMessage());
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
    lacksRoom = false;
    isPoint = false;
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
      lacksRoom = !hasRoomFor(group.changes().get(index));
      if (lacksRoom) {
        return null;
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
    boolean isResumed = isAt(group.time()) && at <= from.index() && !isCutThrough(at);
    if (isResumed && (at < from.index() || from.kind() == ResumeToken.Kind.INVALIDATION)) {
      return null;
    }
    isPoint = isResumed && hasPoint;
    Change change = group.changes().get(at);
    if (change == Change.Unwanted.ONE) {
      return null;
    }
    var token = new ResumeToken(group.time(), at, ResumeToken.Kind.EVENT).within(narrowing.range());
    if (change instanceof Change.OfDocument document) {
      boolean isSeen = narrowing.includes(document.collection(), document.document());
      return isSeen && isPoint == isResumed ? event(document, token) : null;
    }
    if (shape != null) {
      if (change instanceof Change.OfStructure structure) {
        shape.require(structure);
      }
      return null;
    }
    if (isPoint) {
      isPoint = false; // what it is depends on what else is shown: it is believed
      hasPoint = false;
    }
    StructureEvents.Shown shown = structures.of(group, at, token);
    if (shown.isLast()) {
      invalidation =
          new ResumeToken(group.time(), at, ResumeToken.Kind.INVALIDATION)
              .within(narrowing.range());
    }
    return isResumed ? null : shown.event();
  }

  private @Nullable BsonDocument event(Change.OfDocument change, ResumeToken token) {
    if (shape != null) {
      RawDocument key = Events.documentKey(change);
      BsonDocument event = shape.event(change, shape.token(token), key, lookup);
      return event == null ? null : events.charged(event, change);
    }
    return form != null && own == null
        ? hub.event(change, form(change), () -> events.of(change, group, token))
        : events.of(change, group, token);
  }

  /** What the event depends on besides the change itself: an image may have expired meanwhile. */
  private Object form(Change.OfDocument change) {
    return change.image().before() == null ? form : List.of(form, hasImages.test(group.millis()));
  }

  @Override
  public boolean hasPoint() {
    return hasPoint;
  }

  @Override
  public boolean isPoint() {
    return isPoint;
  }

  /** Whether some parts of that event are still to be told. */
  private boolean isCutThrough(int at) {
    return at == from.index() && from.isOfFragment();
  }

  private boolean hasRoomFor(Change change) {
    return !(change instanceof Change.OfDocument document)
        || document.document().length() < LARGE_BYTES
        || hasRoom.test(document.document().length());
  }

  @Override
  public void askBeforeLarge(LongPredicate newHasRoom) {
    hasRoom = newHasRoom;
  }

  @Override
  public boolean lacksRoom() {
    return lacksRoom;
  }

  private boolean isAt(long groupTime) {
    return from != null && from.kind() != ResumeToken.Kind.TIME && from.time() == groupTime;
  }

  private boolean nextGroup() {
    while (groups.isEmpty()) {
      if (!read()) {
        return false;
      }
    }
    group = groups.remove();
    groupsBytes -= group.bytes();
    mark = TransactionMark.of(group);
    index = group.time() == leftTime ? leftIndex : 0;
    return true;
  }

  /** What it has read and not told yet, which others may have too. */
  private long unreadBytes() {
    return groupsBytes + (group == null ? 0 : group.bytes());
  }

  @Override
  public void count() {
    execution.memory().release(awaited);
    awaited = 0;
    holding.clear();
    isTooMuch = !holding.grow(unreadBytes());
  }

  /** Keeps a little of what was read, so that short batches need not read it again. */
  @Override
  public void rest(boolean spills) {
    boolean isMuch = isTooMuch || spills || unreadBytes() > KEPT_BYTES_MAX;
    if (isMuch && invalidation == null) {
      if (group != null) {
        leftTime = group.time();
        leftIndex = index;
        group = null;
      }
      own = null;
      take(List.of());
      holding.clear();
    }
  }

  private boolean take(List<CommittedGroup> read) {
    groups.clear();
    groups.addAll(read);
    groupsBytes = read.stream().mapToLong(CommittedGroup::bytes).sum();
    return !read.isEmpty();
  }

  /** Whether it may read for itself: such reads take memory for each stream that does. */
  private boolean mayReadOwn() {
    long lacking = Math.max(0, hub.ownReadBytes() - awaited);
    lacksRoom = !execution.memory().tryAwait(lacking);
    awaited += lacksRoom ? 0 : lacking;
    return !lacksRoom;
  }

  private List<CommittedGroup> readOwn(Changes changes) {
    List<CommittedGroup> read = execution.await(changes.next(READ_BYTES));
    hub.noteOwnRead(read);
    return read;
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
        if (!mayReadOwn()) {
          return false;
        }
        if (take(readOwn(own))) {
          return true;
        }
        time = Math.max(time, own.time());
        boolean isCaughtUp = time == before;
        own = isCaughtUp ? null : own;
        return !isCaughtUp;
      }
      ChangeHub.Next next = hub.after(time, execution);
      if (next == null) {
        own = hub.feed().after(time, narrowing);
        return true;
      }
      own = null;
      boolean isMore = take(next.groups());
      if (!isMore) {
        time = next.upTo();
      }
      return isMore;
    } catch (StorageException e) {
      throw lost(e);
    }
  }

  @Override
  public BsonDocument placeAfter(@Nullable RawDocument end, boolean isDrained) {
    if (end != null && !isDrained) {
      return end.field("_id").asDocument().toBsonDocument();
    }
    if (told == null && from != null && from.kind() != ResumeToken.Kind.TIME && isBefore(from)) {
      return token(from); // it has not come so far again
    }
    // Nothing came after the last event: its own token says more than a time does. That of an event
    // which the rest of the pipeline hid is no place to come back to.
    boolean isInside = told != null && (toldTime > time || toldTime == time && told.equals(last));
    return isInside ? told : token(ResumeToken.upTo(time));
  }

  private boolean isBefore(ResumeToken place) {
    return time < place.time();
  }

  private BsonDocument token(ResumeToken place) {
    ResumeToken narrowed = place.within(narrowing.range());
    return shape == null ? narrowed.toBson() : shape.token(narrowed);
  }

  @Override
  public List<RawDocument> page(List<RawDocument> batch, BsonDocument place) {
    return shape == null ? batch : shape.page(batch, place);
  }

  @Override
  public boolean isOver() {
    return isOver;
  }

  @Override
  public Ring listen() {
    return hub.listen(this::passesOver);
  }

  private boolean passesOver(long since, ChangeHub.Next news) {
    boolean isDrained = group == null && groups.isEmpty() && own == null && invalidation == null;
    if (!isDrained || time < since || hasPoint || narrowing.mayTellOf(news)) {
      return false;
    }
    time = Math.max(time, news.upTo());
    return true;
  }

  /** Refuses what a pipeline made of the last event, if it changed the token. */
  public RawDocument requireToken(RawDocument result) {
    BsonDocument found = new BsonDocument();
    if (result.field("_id") != null) {
      found.append("_id", result.field("_id").toBsonValue());
    }
    if (!isToken(found.get("_id"), result.field("splitEvent") != null)) {
      throw EventFailures.fatal(
          ErrorCode.CHANGE_STREAM_FATAL_ERROR,
          "Encountered an event whose _id field, which contains the resume token, was modified by"
              + " the pipeline. Modifying the _id field of an event makes it impossible to resume"
              + " the stream from that point. Only transformations that retain the unmodified _id"
              + " field are allowed. Expected: "
              + BsonText.document(new BsonDocument("_id", abbreviated(last)))
              + " but found: "
              + BsonText.document(found));
    }
    told = last;
    toldTime = lastTime;
    return result;
  }

  private boolean isToken(@Nullable BsonValue found, boolean isFragment) {
    if (!isFragment || found == null || !found.isDocument()) {
      return last.equals(found);
    }
    BsonDocument token = found.asDocument().clone();
    if (token.isString("_data")) {
      token.put("_data", new BsonString(ResumeToken.parse(token).behind(ResumeToken.WHOLE).data()));
    }
    return last.equals(token);
  }

  private static BsonDocument abbreviated(BsonDocument token) {
    if (!token.isString("_data")) {
      return token;
    }
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
