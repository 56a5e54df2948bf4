package dev.orrery.storage.keyindex;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.hash.VanillaGlobalMutableState;
import net.openhft.chronicle.values.Values;
import org.junit.jupiter.api.Test;

/** The state of a map's file has the bytes that the class would give it that Chronicle writes. */
class ChronicleStateTest {
  private static final int SIZE = 25;

  /** The same fields under a name for which there is no class, so that Chronicle writes one. */
  public interface Written extends VanillaGlobalMutableState {}

  private static VanillaGlobalMutableState ours() {
    return Values.newNativeReference(VanillaGlobalMutableState.class);
  }

  private static VanillaGlobalMutableState chronicles() {
    return Values.newNativeReference(Written.class);
  }

  private static void fill(VanillaGlobalMutableState state, long seed) {
    var random = new Random(seed);
    state.setAllocatedExtraTierBulks(random.nextInt(1 << 24));
    state.setFirstFreeTierIndex(random.nextLong() >>> 24);
    state.setExtraTiersInUse(random.nextLong() >>> 24);
    state.setSegmentHeadersOffset(random.nextLong() >>> 32);
    state.setDataStoreSize(random.nextLong() >>> 2);
    state.addDataStoreSize(random.nextInt(1000));
  }

  private static byte[] bytesOf(VanillaGlobalMutableState state, long seed) {
    BytesStore<?, ?> store = BytesStore.wrap(new byte[SIZE + 16]);
    store.writeByte(7, (byte) 0x55); // neighbours that must stay
    store.writeByte(8 + SIZE, (byte) 0x55);
    state.bytesStore(store, 8, SIZE);
    fill(state, seed);
    var bytes = new byte[SIZE + 16];
    store.read(0, bytes, 0, bytes.length);
    return bytes;
  }

  @Test
  void ourClassIsTheOneThatChronicleFinds() {
    assertThat(ours().getClass().getName())
        .isEqualTo(VanillaGlobalMutableState.class.getName() + "$$Native");
    assertThat(chronicles().getClass()).isNotEqualTo(ours().getClass());
    assertThat(ours().maxSize()).isEqualTo(chronicles().maxSize()).isEqualTo(SIZE);
  }

  @Test
  void bothWriteTheSameBytes() {
    for (long seed = 0; seed < 1_000; seed++) {
      assertThat(bytesOf(ours(), seed)).as("seed %d", seed).isEqualTo(bytesOf(chronicles(), seed));
    }
  }

  @Test
  void eachReadsWhatTheOtherWrote() {
    VanillaGlobalMutableState ours = ours();
    VanillaGlobalMutableState other = chronicles();
    BytesStore<?, ?> store = BytesStore.wrap(new byte[SIZE]);
    ours.bytesStore(store, 0, SIZE);
    other.bytesStore(store, 0, SIZE);
    for (long seed = 0; seed < 100; seed++) {
      fill(seed % 2 == 0 ? ours : other, seed);
      assertThat(ours.getAllocatedExtraTierBulks()).isEqualTo(other.getAllocatedExtraTierBulks());
      assertThat(ours.getFirstFreeTierIndex()).isEqualTo(other.getFirstFreeTierIndex());
      assertThat(ours.getExtraTiersInUse()).isEqualTo(other.getExtraTiersInUse());
      assertThat(ours.getSegmentHeadersOffset()).isEqualTo(other.getSegmentHeadersOffset());
      assertThat(ours.getDataStoreSize()).isEqualTo(other.getDataStoreSize());
    }
  }
}
