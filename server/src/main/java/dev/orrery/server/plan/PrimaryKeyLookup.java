package dev.orrery.server.plan;

import dev.orrery.language.query.Filter;
import dev.orrery.language.query.MatchDetails;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StoredDocument;
import java.util.List;

/**
 * Reads documents by their primary keys, without any index scan.
 *
 * @param isById whether the filter asks for one {@code _id} and nothing else
 * @param isSure whether it matches whatever has the key
 */
record PrimaryKeyLookup(List<Key> keys, Filter filter, boolean isById, boolean isSure)
    implements PlanNode {
  /** A primary key and the partition that owns it. */
  record Key(PartitionStore partition, byte[] primaryKey) {}

  PrimaryKeyLookup {
    keys = List.copyOf(keys);
  }

  @Override
  public RowCursor open(PlanRun run) {
    var execution = run.execution();
    var statistics = run.statisticsOf(this);
    var remaining = keys.iterator();
    var details = new MatchDetails();
    if (keys.isEmpty()) {
      execution.visit(run.partition().id()); // to ask costs something, whatever is found
    }
    return () -> {
      while (remaining.hasNext()) {
        Key key = remaining.next();
        if (key.partition.id() != run.partition().id()) {
          continue;
        }
        execution.visit(key.partition.id());
        StoredDocument found =
            execution.await(key.partition.find(key.primaryKey, execution.meter()));
        statistics.keysExamined += found == null ? 0 : 1;
        statistics.documentsExamined += found == null ? 0 : 1;
        details.reset();
        if (found != null && (isSure || filter.matches(found.document(), details))) {
          statistics.advanced++;
          return Row.of(null, found, details.arrayIndex());
        }
      }
      statistics.isAtEnd = true;
      return null;
    };
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of();
  }

  @Override
  public void explain(StageExplanation explanation) {
    explanation.stage("IDHACK");
    if (!isById) {
      explanation.filter(filter);
    }
    explanation.count("keysExamined", statistics -> statistics.keysExamined);
    explanation.count("docsExamined", statistics -> statistics.documentsExamined);
  }
}
