package dev.orrery.storage.index;

import java.nio.ByteBuffer;

/**
 * Whose a derived file is. Its checksums say that it is what was written, and its owner that it was
 * written for this place: a file that was copied or moved from another place is as good as lost.
 *
 * <p>Big-endian: store (8), collection (4), partition (4), number of the index (4; 0 if it is of
 * none), kind (4). All zeros in files of versions that did not tell.
 *
 * @param store a number that was drawn when the store was made; its copies have it too
 * @param collection the number of the collection, which a new name does not change
 */
public record FileOwner(long store, int collection, int partition, int index, Kind kind) {
  /** What the file is good for; the code is stored and never reused. */
  public enum Kind {
    NONE(0, "nothing"),
    SLOTS(1, "slots"),
    IDS(2, "primary keys"),
    SIZES(3, "sizes"),
    TREE(4, "index"),
    UNIQUE(5, "unique keys");

    private final int code;
    private final String words;

    Kind(int code, String words) {
      this.code = code;
      this.words = words;
    }

    private static Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return NONE; // of a newer version: whatever it is, nobody here asks for it
    }
  }

  /** Of a file that does not tell, or of a place where nobody asks. */
  public static final FileOwner NONE = new FileOwner(0, 0, 0, 0, Kind.NONE);

  public static final int BYTES = 24;

  public boolean isNone() {
    return store == 0;
  }

  /** The same partition's file of another kind; none stays none. */
  public FileOwner of(Kind other, int indexNumber) {
    return isNone() ? NONE : new FileOwner(store, collection, partition, indexNumber, other);
  }

  public void put(ByteBuffer target) {
    target.putLong(store).putInt(collection).putInt(partition).putInt(index).putInt(kind.code);
  }

  public static FileOwner get(ByteBuffer source) {
    return new FileOwner(
        source.getLong(),
        source.getInt(),
        source.getInt(),
        source.getInt(),
        Kind.of(source.getInt()));
  }

  /** What is wrong with a file in our place that says this; null if nothing is, or it says none. */
  public String objection(FileOwner found) {
    if (isNone() || found.isNone() || equals(found)) {
      return null;
    }
    return found.store == store
        ? "it has the " + found + ", not the " + this
        : "it is of another store";
  }

  @Override
  public String toString() {
    String whole = " of partition " + partition + " of collection " + collection;
    boolean hasIndex = kind == Kind.TREE || kind == Kind.UNIQUE;
    return kind.words + (hasIndex ? " " + index : "") + whole;
  }
}
