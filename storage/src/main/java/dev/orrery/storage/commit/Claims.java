package dev.orrery.storage.commit;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The documents and unique keys that open transactions keep others from changing. Whoever claims,
 * or asks before a commit, holds the lock of the partition that has the document; to give up needs
 * no lock. While there is no transaction it costs a look at an empty map.
 */
public final class Claims {
  /** Stands for the primary key, beside the numbers of indexes. */
  public static final int PRIMARY = -1;

  /**
   * A key that one transaction at a time may change.
   *
   * @param index {@link #PRIMARY}, or the number of a unique index in its collection
   */
  public record Key(int collection, int index, byte[] bytes) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Key key
          && collection == key.collection
          && index == key.index
          && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
      return 31 * (31 * collection + index) + Arrays.hashCode(bytes);
    }
  }

  /** A transaction that keeps keys for itself. */
  public interface Holder {
    /** Completes when it has given up all its keys. */
    CompletionStage<?> ended();
  }

  private final Map<Key, Holder> holders = new ConcurrentHashMap<>();

  public boolean isEmpty() {
    return holders.isEmpty();
  }

  /** Who else has the key; null for nobody. */
  public @Nullable Holder other(Key key, @Nullable Object asking) {
    Holder holder = holders.get(key);
    return holder == asking ? null : holder;
  }

  /** Whether somebody else has the key. */
  public boolean isHeldByOther(Key key, @Nullable Object asking) {
    return other(key, asking) != null;
  }

  public boolean isHeldBy(Key key, Object holder) {
    return holders.get(key) == holder;
  }

  public void hold(Key key, Holder holder) {
    Holder other = holders.putIfAbsent(key, holder);
    if (other != null && other != holder) {
      throw new IllegalStateException("another transaction has the key");
    }
  }

  /** Gives up one key of a holder. */
  public void release(Key key, Object holder) {
    holders.remove(key, holder);
  }
}
