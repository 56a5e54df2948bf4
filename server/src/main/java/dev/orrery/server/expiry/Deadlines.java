package dev.orrery.server.expiry;

import dev.orrery.language.query.DocumentPredicate;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import java.time.Clock;
import java.util.List;
import org.bson.BsonDocument;

/** When documents of one collection are over: as soon as one of its indexes says so. */
public final class Deadlines {
  private final List<Deadline> all;
  private final List<IndexSpec> indexes;
  private final Clock clock;

  /**
   * @param indexes those that have the dates of everything that is over by them
   */
  Deadlines(List<Deadline> all, List<IndexSpec> indexes, Clock clock) {
    this.all = List.copyOf(all);
    this.indexes = List.copyOf(indexes);
    this.clock = clock;
  }

  /** Indexes by which documents that are over can be found. */
  public List<IndexSpec> indexes() {
    return indexes;
  }

  /** Whether others can be found by looking at all documents only. */
  public boolean needsScan() {
    return indexes.size() < all.size();
  }

  public boolean isOver(RawDocument document) {
    long now = clock.millis();
    for (Deadline one : all) {
      if (one.isOver(document, now)) {
        return true;
      }
    }
    return false;
  }

  /**
   * A condition that documents meet until they are over; nobody wrote it, so nobody is shown it.
   */
  public DocumentPredicate stillThere() {
    return new StillThere(this);
  }

  /** Whether a condition is one of ours. */
  public static boolean isStillThere(DocumentPredicate predicate) {
    return predicate instanceof StillThere;
  }

  private record StillThere(Deadlines deadlines) implements DocumentPredicate {
    @Override
    public boolean test(RawDocument document) {
      return !deadlines.isOver(document);
    }

    @Override
    public BsonDocument document() {
      return new BsonDocument();
    }
  }
}
