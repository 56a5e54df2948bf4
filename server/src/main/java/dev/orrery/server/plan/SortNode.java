package dev.orrery.server.plan;

import dev.orrery.language.number.Numbers;
import dev.orrery.language.query.SortPattern;
import dev.orrery.value.RawDocument;
import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * Reads all rows and gives them in order.
 *
 * @param text the pattern as the user wrote it
 * @param limit how many of the first rows are wanted; 0 for all
 */
record SortNode(SortPattern pattern, RawDocument text, long limit, PlanNode input)
    implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    var rows = input.open(run);
    var sorter = new RowSorter(run.execution(), statistics, limit);
    return new RowCursor() {
      private @Nullable RowCursor sorted;

      @Override
      public Row next() {
        if (sorted == null) {
          for (Row row = rows.next(); row != null; row = rows.next()) {
            sorter.add(pattern.key(row.document(), row.metadata()), row);
            statistics.skipped++;
          }
          sorted = sorter.finish();
        }
        Row row = sorted.next();
        statistics.isAtEnd = row == null;
        statistics.advanced += row == null ? 0 : 1;
        return row;
      }

      @Override
      public void close() {
        rows.close();
        sorter.close();
      }
    };
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of(input);
  }

  @Override
  public void explain(StageExplanation explanation) {
    explanation.stage("SORT").add("sortPattern", text.toBsonDocument());
    explanation.add("memLimit", new BsonInt32((int) Execution.SORT_BYTES_MAX));
    if (limit > 0) {
      explanation.add("limitAmount", Numbers.intOrLong(limit));
    }
    explanation.add("type", new BsonString("simple"));
    explanation.count("totalDataSizeSorted", statistics -> statistics.bytesSorted);
    explanation.counter("usedDisk", statistics -> BsonBoolean.valueOf(statistics.spills > 0));
    explanation.count("spills", statistics -> statistics.spills);
    explanation.count("spilledDataStorageSize", statistics -> statistics.bytesSpilled);
  }
}
