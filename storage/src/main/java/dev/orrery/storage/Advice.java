package dev.orrery.storage;

/** What people can do about a store that cannot be read, for the end of a message. */
public final class Advice {
  /** Bytes are not what was written. */
  public static final String DAMAGED =
      "; restore a backup, or copy out what can still be read with orrery salvage";

  /** Of a single document, after the above. */
  public static final String GIVE_UP =
      "; or give the document up: delete it by its _id and partition key alone, or run validate"
          + " with repair";

  /** The bytes are right, and made by another version. */
  public static final String NEWER = "; a newer version of Orrery wrote it, which can read it";

  /** The bytes are right, and made before the format changed. */
  public static final String OLDER =
      "; an older version of Orrery wrote it: export the data with that version (orrery export),"
          + " then import it into an empty directory (orrery import)";

  /** What to do about a file of another version of the format. */
  public static String onVersion(int found, int known) {
    return found < known ? OLDER : NEWER;
  }

  private Advice() {}
}
