package dev.orrery.storage.log;

import java.util.List;

/** Which sealed segments are too old or too many. Whether they are deleted is another's choice. */
public final class Retention {

  private Retention() {}

  /** Sealed segments whose last group is older than {@code millis}, oldest first. */
  public static List<SegmentInfo> olderThan(List<SegmentInfo> segments, long millis) {
    return segments.stream()
        .filter(segment -> segment.sealed() && segment.lastMillis() < millis)
        .toList();
  }

  /** The oldest sealed segments without which the others have at most {@code bytesMax} bytes. */
  public static List<SegmentInfo> beyond(List<SegmentInfo> segments, long bytesMax) {
    long bytes = segments.stream().mapToLong(SegmentInfo::bytes).sum();
    int count = 0;
    while (count < segments.size() && segments.get(count).sealed() && bytes > bytesMax) {
      bytes -= segments.get(count).bytes();
      count++;
    }
    return List.copyOf(segments.subList(0, count));
  }
}
