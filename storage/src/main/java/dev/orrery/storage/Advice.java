package dev.orrery.storage;

/** What people can do about a store that cannot be read, for the end of a message. */
public final class Advice {
  /** Bytes are not what was written. */
  public static final String DAMAGED =
      "; restore a backup, or copy out what can still be read with orrery salvage";

  /** The bytes are right, and made by another version. */
  public static final String NEWER = "; a newer version of Orrery wrote it, which can read it";

  private Advice() {}
}
