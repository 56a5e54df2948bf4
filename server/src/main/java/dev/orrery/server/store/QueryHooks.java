package dev.orrery.server.store;

import dev.orrery.language.query.Collation;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterParser;
import dev.orrery.storage.SpecialKeys;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.util.function.Predicate;
import org.bson.BsonDocument;

/** The query language as storage sees it: filters, collations, words and shapes of indexes. */
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

  @Override
  public SpecialKeys specialKeys(IndexSpec index) {
    return index.has(IndexField.Kind.TEXT) ? TextKeys.of(index) : GeoKeys.of(index);
  }
}
