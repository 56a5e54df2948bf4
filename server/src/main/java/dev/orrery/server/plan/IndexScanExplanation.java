package dev.orrery.server.plan;

import dev.orrery.language.query.Collation;
import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.server.plan.bounds.Interval;
import dev.orrery.server.plan.bounds.WildcardMatcher;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** How explain shows the scan of an index. */
final class IndexScanExplanation {
  private IndexScanExplanation() {}

  static void write(IndexScan scan, StageExplanation explanation) {
    IndexAccess access = scan.access();
    explanation.stage("IXSCAN");
    describe(access, explanation);
    explanation
        .add("direction", new BsonString(scan.isReverse() ? "backward" : "forward"))
        .add("indexBounds", bounds(scan));
    explanation.count("keysExamined", statistics -> statistics.keysExamined);
    explanation.count("seeks", statistics -> statistics.seeks);
    explanation.count("dupsTested", statistics -> statistics.duplicatesTested);
    explanation.count("dupsDropped", statistics -> statistics.duplicatesDropped);
  }

  /** A scan that only counts. */
  static void writeCount(IndexScan scan, StageExplanation explanation) {
    explanation.stage("COUNT_SCAN");
    explanation.count("keysExamined", statistics -> statistics.keysExamined);
    describe(scan.access(), explanation);
    explanation.add("indexBounds", range(scan));
  }

  /** A scan that skips equal values. */
  static void writeDistinct(IndexScan scan, StageExplanation explanation) {
    explanation.stage("DISTINCT_SCAN");
    describe(scan.access(), explanation);
    explanation
        .add("direction", new BsonString(scan.isReverse() ? "backward" : "forward"))
        .add("indexBounds", bounds(scan));
    explanation.count("keysExamined", statistics -> statistics.keysExamined);
  }

  private static void describe(IndexAccess access, StageExplanation explanation) {
    IndexSpec index = access.index();
    explanation.add("keyPattern", keyPattern(access));
    explanation.add("indexName", new BsonString(index.name()));
    if (index.collation() != null) {
      explanation.add("collation", Collation.parse(index.collation()).specification());
    }
    explanation
        .add("isMultiKey", StageExplanation.flag(access.isMultikey()))
        .add("multiKeyPaths", multikeyPaths(access))
        .add("isUnique", StageExplanation.flag(index.isUnique()))
        .add("isSparse", StageExplanation.flag(index.isSparse()))
        .add("isPartial", StageExplanation.flag(index.partialFilter() != null))
        .add("indexVersion", new BsonInt32(2));
  }

  /** From the first to the last key; what follows an open end is the whole field or nothing. */
  private static BsonDocument range(IndexScan scan) {
    var start = new BsonDocument();
    var end = new BsonDocument();
    boolean isStartIn = true;
    boolean isEndIn = true;
    for (int i = 0; i < scan.access().parts().size(); i++) {
      IndexAccess.Part part = scan.access().parts().get(i);
      boolean isDown = part.isDescending() != scan.isReverse();
      Interval interval = scan.access().bounds().get(i).list().get(0);
      Interval.Bound first = isDown ? interval.high() : interval.low();
      Interval.Bound last = isDown ? interval.low() : interval.high();
      start.append(part.path(), isStartIn ? first.value() : last.value());
      end.append(part.path(), isEndIn ? last.value() : first.value());
      isStartIn &= first.isInclusive();
      isEndIn &= last.isInclusive();
    }
    return new BsonDocument("startKey", start)
        .append("startKeyInclusive", StageExplanation.flag(isStartIn))
        .append("endKey", end)
        .append("endKeyInclusive", StageExplanation.flag(isEndIn));
  }

  static BsonDocument keyPattern(IndexAccess access) {
    if (!access.isWildcard()) {
      return access.index().keyPattern();
    }
    var pattern = new BsonDocument();
    int part = 0;
    for (var field : access.index().keyPattern().entrySet()) {
      if (access.parts().get(part).path().equals(WildcardMatcher.PATH)) {
        pattern.append(access.parts().get(part++).path(), field.getValue());
      }
      pattern.putIfAbsent(access.parts().get(part++).path(), field.getValue());
    }
    return pattern;
  }

  /** We remember which fields met an array, not where on their paths: the whole path is shown. */
  private static BsonDocument multikeyPaths(IndexAccess access) {
    var paths = new BsonDocument();
    for (int i = 0; i < access.parts().size(); i++) {
      var list = new BsonArray();
      String path = access.parts().get(i).path();
      if (access.isMultikey(i)) {
        list.add(new BsonString(path));
      }
      paths.putIfAbsent(path, list); // of a path and a value that share a name, the path
    }
    return paths;
  }

  private static BsonDocument bounds(IndexScan scan) {
    var bounds = new BsonDocument();
    for (int i = 0; i < scan.access().parts().size(); i++) {
      IndexAccess.Part part = scan.access().parts().get(i);
      boolean isDown = part.isDescending() != scan.isReverse();
      List<Interval> intervals = new ArrayList<>(scan.access().bounds().get(i).list());
      if (isDown) {
        Collections.reverse(intervals);
      }
      var texts = new BsonArray();
      intervals.forEach(interval -> texts.add(new BsonString(interval.text(isDown))));
      bounds.putIfAbsent(part.path(), texts);
    }
    return bounds;
  }
}
