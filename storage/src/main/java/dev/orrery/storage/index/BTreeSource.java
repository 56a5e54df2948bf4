package dev.orrery.storage.index;

/** Entries to be loaded, one after the other. */
public interface BTreeSource {
  /** Moves to the next entry; false at the end. */
  boolean next();

  byte[] key();

  long recordId();
}
