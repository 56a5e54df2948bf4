package dev.orrery.storage.index;

import dev.orrery.storage.SpecialKeys;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * From a document to its keys in one index, by MongoDB's rules for arrays, missing fields, sparse,
 * partial, hashed, wildcard, text and geo indexes. Keeps no state between documents, and any thread
 * may use it.
 */
public final class IndexKeys {
  /** How the fields of an index become keys. */
  @FunctionalInterface
  interface Source {
    IndexKeySet keysOf(RawDocument document);
  }

  private final Source source;
  private final Predicate<RawDocument> filter;

  private IndexKeys(Source source, Predicate<RawDocument> filter) {
    this.source = source;
    this.filter = filter;
  }

  /** The keys of an index without collation and without a partial filter. */
  public static IndexKeys of(IndexSpec spec) {
    return of(spec, StringOrder.UTF8, document -> true);
  }

  /**
   * The keys of an index.
   *
   * @param strings the order that the collation of the index gives
   * @param filter which documents a partial index takes
   * @throws UnsupportedOperationException for text and geo indexes
   */
  public static IndexKeys of(IndexSpec spec, StringOrder strings, Predicate<RawDocument> filter) {
    return of(spec, strings, filter, IndexKeys::refuse);
  }

  /**
   * The same.
   *
   * @param special asked for the keys of text and geo fields, if there are such
   */
  public static IndexKeys of(
      IndexSpec spec,
      StringOrder strings,
      Predicate<RawDocument> filter,
      Function<IndexSpec, SpecialKeys> special) {
    Source source =
        spec.isSpecial()
            ? new CombinedKeys(spec, strings, special.apply(spec))
            : source(spec, strings);
    return new IndexKeys(source, filter);
  }

  private static SpecialKeys refuse(IndexSpec spec) {
    throw new UnsupportedOperationException("no keys for index " + spec);
  }

  private static Source source(IndexSpec spec, StringOrder strings) {
    if (spec.has(IndexField.Kind.WILDCARD)) {
      return new WildcardKeys(spec, strings);
    }
    return spec.has(IndexField.Kind.HASHED)
        ? new HashedKeys(spec, strings)
        : new OrderedKeys(spec.fields(), spec.isSparse(), strings);
  }

  /**
   * The keys of a document in ascending order, each once; none if the index leaves it out.
   *
   * @throws IndexKeyException if the index cannot take the document
   */
  public List<byte[]> of(RawDocument document) {
    return extract(document).keys();
  }

  /** As {@link #of(RawDocument)}, and which paths made the index multikey. */
  public IndexKeySet extract(RawDocument document) {
    return filter.test(document) ? source.keysOf(document) : IndexKeySet.EMPTY;
  }
}
