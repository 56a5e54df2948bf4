package dev.orrery.server.query;

import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.StringOrder;
import java.util.function.Predicate;
import org.bson.BsonDocument;

/** The query language as storage sees it: partial filters and collations of indexes. */
public final class QueryHooks implements StorageHooks {
  @Override
  public Predicate<RawDocument> filter(BsonDocument expression) {
    Filter filter = FilterParser.parse(expression);
    return filter::matches;
  }

  @Override
  public StringOrder collation(BsonDocument collation) {
    return Collation.parse(collation).strings();
  }
}
