package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PageFilePoolTest {
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int CHUNK_FRAMES = CHUNK_BYTES / PageFile.PAGE_SIZE;

  private final PageFilePool pool = new PageFilePool(4 * CHUNK_BYTES);

  private int acquire(int count) {
    int last = 0;
    for (int i = 0; i < count; i++) {
      last = pool.acquire();
    }
    return last;
  }

  @Test
  void pagesGoToTheHeapWhenDirectMemoryIsUsedUp() {
    assertThat(pool.buffer(acquire(4 * CHUNK_FRAMES)).isDirect()).isTrue();
    int onHeap = acquire(1);
    assertThat(pool.buffer(onHeap).isDirect()).isFalse();
    pool.buffer(onHeap).putLong(PageFilePool.offset(onHeap), 42);
    assertThat(pool.buffer(onHeap).getLong(PageFilePool.offset(onHeap))).isEqualTo(42);
    pool.release(onHeap);
    assertThat(pool.reservedBytes()).isEqualTo(4 * CHUNK_BYTES); // the heap's is not kept
  }

  @Test
  void writersWaitWhileTheyTakeTooMuchOfTheHeap() throws InterruptedException {
    var small = new PageFilePool(CHUNK_BYTES, CHUNK_BYTES);
    int last = 0;
    for (int i = 0; i <= 2 * CHUNK_FRAMES; i++) {
      small.awaitRoom();
      last = small.acquire();
    }
    var writer = new Thread(small::awaitRoom);
    writer.start();
    writer.join(300);
    assertThat(writer.isAlive()).isTrue();
    small.release(last);
    writer.join(5_000);
    assertThat(writer.isAlive()).isFalse();
  }

  @Test
  void asksForACheckpointWhenHalfOfItIsInUse() {
    acquire(2 * CHUNK_FRAMES);
    assertThat(pool.isFilling()).isFalse();
    acquire(1);
    assertThat(pool.isFilling()).isTrue();
  }

  @Test
  void whatACheckpointLeavesAsksForNoOther() {
    acquire(3 * CHUNK_FRAMES);
    pool.saved();
    assertThat(pool.isFilling()).isFalse();
    acquire(CHUNK_FRAMES / 2 + 1);
    assertThat(pool.isFilling()).isTrue();
  }
}
