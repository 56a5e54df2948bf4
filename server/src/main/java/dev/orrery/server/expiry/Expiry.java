package dev.orrery.server.expiry;

import dev.orrery.language.query.FilterParser;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.FieldPath;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Knows which collections have documents that expire. A document is over for everybody at that
 * moment; that it is deleted a little later is seen by nobody but the disk.
 */
public final class Expiry {
  /** Nothing ever expires. */
  public static final Expiry NEVER = new Expiry(Clock.systemUTC(), false).enabled(false);

  /** The option of an index on {@code _ts} that says when it was made; no client sees it. */
  public static final String SINCE = "since";

  private final AheadClock clock;
  private final boolean isCosmos;
  private volatile boolean isEnabled = true;

  /**
   * @param isCosmos whether an index on {@code _ts} is by the time of the last change, and whether
   *     numbers are taken for dates
   */
  public Expiry(Clock clock, boolean isCosmos) {
    this.clock = new AheadClock(clock);
    this.isCosmos = isCosmos;
  }

  /** Whether anything expires at all; may be changed at any time. */
  public Expiry enabled(boolean isOn) {
    isEnabled = isOn;
    return this;
  }

  public long millis() {
    return clock.millis();
  }

  /** Lets it be so much later for what expires than it is. */
  public void jump(long millis) {
    clock.aheadMillis = millis;
  }

  /** A clock that somebody may put forward. */
  private static final class AheadClock extends Clock {
    private final Clock exact;
    private volatile long aheadMillis;

    AheadClock(Clock exact) {
      this.exact = exact;
    }

    @Override
    public ZoneId getZone() {
      return exact.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return Clock.offset(exact.withZone(zone), Duration.ofMillis(aheadMillis));
    }

    @Override
    public Instant instant() {
      return exact.instant().plusMillis(aheadMillis);
    }

    @Override
    public long millis() {
      return exact.millis() + aheadMillis;
    }
  }

  /** What lets documents of the collection expire; null if nothing does now. */
  public @Nullable Deadlines of(CollectionInfo info) {
    if (!isEnabled) {
      return null;
    }
    BsonDocument options = info.options();
    if (options.containsKey("timeseries") && options.containsKey("expireAfterSeconds")) {
      String time = options.getDocument("timeseries").getString("timeField").getValue();
      long seconds = options.getNumber("expireAfterSeconds").longValue();
      var measured = new Deadline.ByDate(FieldPath.parse(time), seconds, false);
      return new Deadlines(List.of(measured), List.of(), clock);
    }
    return ofIndexes(info.readyIndexes());
  }

  private @Nullable Deadlines ofIndexes(List<IndexSpec> all) {
    List<Deadline> found = null;
    var indexes = new ArrayList<IndexSpec>(0);
    for (IndexSpec index : all) {
      OptionalLong seconds = index.expireAfterSeconds();
      if (seconds.isPresent() && isSingle(index)) {
        found = found == null ? new ArrayList<>() : found;
        found.add(deadline(index, seconds.getAsLong()));
        if (!isCosmos) { // there documents and numbers say so too, which the index does not find
          indexes.add(index);
        }
      }
    }
    return found == null ? null : new Deadlines(found, indexes, clock);
  }

  /** Whether documents can expire by it. */
  static boolean isSingle(IndexSpec index) {
    return index.fields().size() == 1 && index.fields().get(0).kind() == IndexField.Kind.ORDERED;
  }

  private Deadline deadline(IndexSpec index, long seconds) {
    if (isByLastChange(index)) {
      return new Deadline.ByLastChange(seconds, index.document().getDateTime(SINCE).getValue());
    }
    var deadline = new Deadline.ByDate(index.fields().get(0).path(), seconds, isCosmos);
    return index.partialFilter() == null
        ? deadline
        : new Deadline.OfSome(FilterParser.parse(index.partialFilter()), deadline);
  }

  /** Whether documents expire by when they were written last, so that this is kept with them. */
  public static boolean keepsLastChange(CollectionInfo info) {
    for (IndexSpec index : info.readyIndexes()) {
      if (isByLastChange(index)) {
        return true;
      }
    }
    return false;
  }

  static boolean isByLastChange(IndexSpec index) {
    return index.document().containsKey(SINCE);
  }

  /**
   * Whether stored documents of the collection may have what no client sees: one may have had the
   * index before.
   */
  public boolean hidesLastChange(CollectionInfo info) {
    return isCosmos || keepsLastChange(info);
  }

  /**
   * The indexes as they are stored: one by the last change says when it was made, as documents that
   * are older count as written then.
   */
  public List<IndexSpec> dated(List<IndexSpec> indexes) {
    return isCosmos ? indexes.stream().map(this::dated).toList() : indexes;
  }

  private IndexSpec dated(IndexSpec index) {
    return isLastChange(index)
        ? IndexSpec.of(index.document().clone().append(SINCE, new BsonDateTime(millis())))
        : index;
  }

  /** Whether Cosmos DB takes the index for one by the last change. */
  public static boolean isLastChange(IndexSpec index) {
    return index.expireAfterSeconds().isPresent()
        && index.keyPattern().size() == 1
        && index.keyPattern().containsKey(LastModified.FIELD);
  }
}
