package dev.orrery.storage;

import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.value.RawDocument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the text and geo fields of an index give of a document: parts of its keys, made by those who
 * know words and shapes. Any thread may use it.
 */
@FunctionalInterface
public interface SpecialKeys {
  /**
   * For each such field of the key pattern, in its order, the encoded parts that stand in its
   * place, each of which belongs into a key of its own; those of a text field are pairs of a term
   * and its score. Null when the index leaves the document out.
   *
   * @throws IndexKeyException if the index cannot take the document
   */
  @Nullable List<List<byte[]>> of(RawDocument document);
}
