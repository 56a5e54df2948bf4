package dev.orrery.storage.keyindex;

/** Receives the entries of a {@link KeyIndex}, in no particular order. */
@FunctionalInterface
public interface KeyIndexVisitor {
  /**
   * One entry.
   *
   * @param key the visitor's to keep
   * @param first the value, or its first half
   * @param second the second half, 0 when the value is one long
   */
  void visit(byte[] key, long first, long second);
}
