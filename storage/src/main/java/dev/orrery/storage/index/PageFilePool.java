package dev.orrery.storage.index;

import dev.orrery.lane.Lane;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * The off-heap memory of changed pages, shared by all page files of an engine: page-sized frames in
 * chunks of direct memory. A chunk that empties goes back to the operating system (by way of the
 * garbage collector) unless it is one of the few kept for the next burst.
 *
 * <p>Others need direct memory as well, so the pool takes half of what the process may have. Beyond
 * it chunks are on the heap, as no change may fail for want of a page; a checkpoint, which is due
 * then, empties them, and new writes wait for it when they take more than a small part of the heap.
 */
public final class PageFilePool {
  private static final int CHUNK_SHIFT = 8;
  private static final int CHUNK_FRAMES = 1 << CHUNK_SHIFT;
  private static final int CHUNK_BYTES = CHUNK_FRAMES << PageFile.PAGE_SHIFT;
  private static final int WORDS = CHUNK_FRAMES / Long.SIZE;
  private static final int SPARE_CHUNKS_MAX = 4;

  /** Which part of the heap changed pages may take before writers wait. */
  private static final int HEAP_SHARE = 16;

  private static final int PATIENCE_SECONDS = 10;

  // Read without a lock: a frame number reaches a reader only after its chunk was stored.
  private ByteBuffer[] chunks = new ByteBuffer[8];
  private long[] free = new long[8 * WORDS];
  private int[] freeCount = new int[8];
  private int chunkCount;
  private int firstCandidate;
  private int spareChunks;
  private int usedFrames;
  private int savedFrames;
  private int directChunks;
  private final int directChunksMax;
  private final long framesMax;
  private volatile boolean isOverfull;

  public PageFilePool() {
    this(DirectMemory.bytesMax() / 2);
  }

  /**
   * @param directBytesMax how much direct memory it may take
   */
  PageFilePool(long directBytesMax) {
    this(directBytesMax, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  PageFilePool(long directBytesMax, long heapBytesMax) {
    this.framesMax = (directBytesMax + heapBytesMax) >> PageFile.PAGE_SHIFT;
    this.directChunksMax = (int) Math.min(Integer.MAX_VALUE, directBytesMax / CHUNK_BYTES);
  }

  /**
   * Whether changed pages take so much memory that they had better be saved now. Pages of small
   * files stay, so only what came since the last checkpoint counts.
   */
  public synchronized boolean isFilling() {
    long framesMax = (long) directChunksMax * CHUNK_FRAMES;
    return 2L * usedFrames > framesMax && 8L * (usedFrames - savedFrames) > framesMax;
  }

  /** Says that a checkpoint has just been made. */
  public synchronized void saved() {
    savedFrames = usedFrames;
  }

  /**
   * Waits for a checkpoint while pages take more memory than they should, for some seconds at most:
   * to be called by writers before they change anything. An event loop does not wait.
   */
  public void awaitRoom() {
    if (isOverfull) {
      Lane.requireMayWait();
      await();
    }
  }

  private synchronized void await() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    try {
      for (long left = end - System.nanoTime(); isOverfull && left > 0; ) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        left = end - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private ByteBuffer newChunk() {
    if (directChunks < directChunksMax) {
      try {
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        directChunks++;
        return chunk;
      } catch (OutOfMemoryError e) {
        // Others took it, or what was given up has not been collected. The heap serves as well.
      }
    }
    return ByteBuffer.allocate(CHUNK_BYTES);
  }

  /** Memory held by pages that differ from their last checkpoint, or that belong to small files. */
  public synchronized long usedBytes() {
    return (long) usedFrames << PageFile.PAGE_SHIFT;
  }

  /** Memory taken for frames, free ones included. */
  public synchronized long reservedBytes() {
    long reserved = 0;
    for (int i = 0; i < chunkCount; i++) {
      reserved += chunks[i] == null ? 0 : CHUNK_BYTES;
    }
    return reserved;
  }

  /** A frame with arbitrary content. */
  synchronized int acquire() {
    int chunk = firstCandidate;
    while (chunk < chunkCount && freeCount[chunk] == 0) {
      chunk++;
    }
    firstCandidate = chunk;
    if (chunk == chunkCount) {
      addChunk();
    }
    if (chunks[chunk] == null) {
      chunks[chunk] = newChunk();
    } else if (freeCount[chunk] == CHUNK_FRAMES) {
      spareChunks--;
    }
    int word = chunk * WORDS;
    while (free[word] == 0) {
      word++;
    }
    int bit = Long.numberOfTrailingZeros(free[word]);
    free[word] &= ~(1L << bit);
    freeCount[chunk]--;
    usedFrames++;
    if (usedFrames > framesMax && !isOverfull) {
      isOverfull = true;
    }
    return word * Long.SIZE + bit;
  }

  synchronized void release(int frame) {
    int chunk = frame >>> CHUNK_SHIFT;
    free[frame / Long.SIZE] |= 1L << (frame % Long.SIZE);
    freeCount[chunk]++;
    usedFrames--;
    if (isOverfull && usedFrames <= framesMax) {
      isOverfull = false;
      notifyAll();
    }
    firstCandidate = Math.min(firstCandidate, chunk);
    if (freeCount[chunk] == CHUNK_FRAMES) {
      if (spareChunks < SPARE_CHUNKS_MAX && chunks[chunk].isDirect()) {
        spareChunks++;
      } else {
        directChunks -= chunks[chunk].isDirect() ? 1 : 0;
        chunks[chunk] = null;
      }
    }
  }

  /** The memory around a frame; null only for a frame that has been released meanwhile. */
  ByteBuffer buffer(int frame) {
    return chunks[frame >>> CHUNK_SHIFT];
  }

  static int offset(int frame) {
    return (frame & (CHUNK_FRAMES - 1)) << PageFile.PAGE_SHIFT;
  }

  private void addChunk() {
    int chunk = chunkCount;
    ByteBuffer memory = newChunk();
    if (chunk == chunks.length) {
      free = Arrays.copyOf(free, free.length * 2);
      freeCount = Arrays.copyOf(freeCount, chunk * 2);
      ByteBuffer[] larger = Arrays.copyOf(chunks, chunk * 2);
      larger[chunk] = memory;
      chunks = larger;
    } else {
      chunks[chunk] = memory;
    }
    Arrays.fill(free, chunk * WORDS, (chunk + 1) * WORDS, -1L);
    freeCount[chunk] = CHUNK_FRAMES;
    spareChunks++;
    chunkCount++;
  }
}
