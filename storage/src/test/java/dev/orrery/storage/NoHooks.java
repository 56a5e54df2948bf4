package dev.orrery.storage;

import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.util.Locale;
import java.util.function.Predicate;
import org.bson.BsonDocument;

/**
 * Hooks for tests of storage alone: a partial filter is {@code {field: value}}, and the only
 * collation ignores case.
 */
public final class NoHooks implements StorageHooks {
  @Override
  public Predicate<RawDocument> filter(BsonDocument expression) {
    String field = expression.getFirstKey();
    return document -> {
      var value = document.field(field);
      return value != null && value.toBsonValue().equals(expression.get(field));
    };
  }

  @Override
  public SpecialKeys specialKeys(IndexSpec index) {
    throw new UnsupportedOperationException("no keys for " + index);
  }

  @Override
  public StringOrder collation(BsonDocument collation) {
    return new StringOrder() {
      @Override
      public int compare(String left, String right) {
        return StringOrder.UTF8.compare(lower(left), lower(right));
      }

      @Override
      public byte[] sortKey(String text) {
        return StringOrder.UTF8.sortKey(lower(text));
      }

      private String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
      }
    };
  }
}
