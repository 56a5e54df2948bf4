package dev.orrery.benchmarks.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecordsTest {
  @Test
  void keysDifferAndHaveOneLength() {
    Set<String> keys = new HashSet<>();
    for (long i = 0; i < 100_000; i++) {
      keys.add(Records.key(i));
    }
    assertThat(keys).hasSize(100_000).allMatch(key -> key.length() == 16);
  }

  @Test
  void overwritesAKeyInPlace() {
    var message = ByteBuffer.wrap("ab user000000000000 cd".getBytes(StandardCharsets.US_ASCII));
    Records.putKey(message, 3, 17);
    assertThat(new String(message.array(), StandardCharsets.US_ASCII))
        .isEqualTo("ab " + Records.key(17) + " cd");
  }

  @Test
  void documentsAreAboutOneKilobyteAndAlwaysTheSame() {
    assertThat(Records.documentBytes()).isBetween(1000, 1300);
    assertThat(Records.document(5)).isEqualTo(Records.document(5));
    assertThat(Records.document(5)).isNotEqualTo(Records.document(6));
  }

  @Test
  void mixesGiveEachOperationItsShare() {
    assertThat(Mix.A.operation(0.49)).isEqualTo(Mix.Operation.READ);
    assertThat(Mix.A.operation(0.51)).isEqualTo(Mix.Operation.UPDATE);
    assertThat(Mix.D.operation(0.96)).isEqualTo(Mix.Operation.INSERT);
    assertThat(Mix.E.operation(0.5)).isEqualTo(Mix.Operation.SCAN);
    assertThat(Mix.F.operation(0.9)).isEqualTo(Mix.Operation.READ_MODIFY_WRITE);
    assertThat(Mix.C.operation(0.9999)).isEqualTo(Mix.Operation.READ);
    assertThat(Mix.E.hasInserts()).isTrue();
    assertThat(Mix.B.hasInserts()).isFalse();
  }
}
