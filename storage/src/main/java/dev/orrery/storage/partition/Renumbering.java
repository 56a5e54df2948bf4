package dev.orrery.storage.partition;

import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * What a merge did to the record ids of one of its parents: those above a limit were raised, so
 * that both parents' ids fit into one partition. The order of the ids stays.
 *
 * @param range the parent's range: whose records it is about
 * @param untilLsn records of the log up to this one have the old ids
 * @param above ids up to this one stayed
 * @param shift by how much the others were raised
 */
public record Renumbering(EpkRange range, long untilLsn, long above, long shift) {
  /** The id after the merge. */
  public long apply(long id) {
    // A backward scan that has not begun stands at the end of all ids.
    return id <= above || id == Long.MAX_VALUE ? id : id + shift;
  }

  /** The id before the merge. */
  public long revert(long id) {
    return id <= above || id == Long.MAX_VALUE ? id : id - shift;
  }

  BsonDocument toBson() {
    return new BsonDocument("min", new BsonString(range.minInclusive()))
        .append("max", new BsonString(range.maxExclusive()))
        .append("untilLsn", new BsonInt64(untilLsn))
        .append("above", new BsonInt64(above))
        .append("shift", new BsonInt64(shift));
  }

  static Renumbering fromBson(BsonDocument document) {
    return new Renumbering(
        new EpkRange(document.getString("min").getValue(), document.getString("max").getValue()),
        document.getInt64("untilLsn").getValue(),
        document.getInt64("above").getValue(),
        document.getInt64("shift").getValue());
  }
}
