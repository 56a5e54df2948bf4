package dev.orrery.server.plan;

import dev.orrery.language.query.FilterMetadata;
import dev.orrery.language.text.TextSearch;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * Tells of documents what they score in a search.
 *
 * @param isRequired whether those that do not match are left out
 */
record TextNode(IndexSpec index, TextSearch search, boolean isRequired, PlanNode input)
    implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    return RowCursor.passing(input.open(run), run.statisticsOf(this), this::scored);
  }

  private @Nullable Row scored(Row row) {
    Double score = search.score(row.document());
    if (score == null) {
      return isRequired ? null : row;
    }
    return row.withMetadata(Map.of(FilterMetadata.SCORE, new BsonDouble(score)));
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of(input);
  }

  @Override
  public void explain(StageExplanation explanation) {
    explanation
        .stage("TEXT_MATCH")
        .add("indexPrefix", new BsonDocument())
        .add("indexName", new BsonString(index.name()))
        .add("textIndexVersion", new BsonInt32(3));
  }
}
