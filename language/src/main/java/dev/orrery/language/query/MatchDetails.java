package dev.orrery.language.query;

/**
 * What a filter learned while it matched one document: the position of the array element that
 * satisfied it, which the positional operator {@code $} of projections and updates stands for.
 */
public class MatchDetails {
  /** For callers who only ask whether a document matches. */
  public static final MatchDetails NONE = new Ignored();

  private int arrayIndex = -1;

  /** The position of the element that matched, in the outermost array, or -1 if none did. */
  public final int arrayIndex() {
    return arrayIndex;
  }

  void record(int index) {
    arrayIndex = index;
  }

  /** Forgets what was recorded, before the next document or after a clause that failed. */
  public void reset() {
    arrayIndex = -1;
  }

  private static final class Ignored extends MatchDetails {
    @Override
    void record(int index) {}

    @Override
    public void reset() {}
  }
}
