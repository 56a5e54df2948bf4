package dev.orrery.language.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.ErrorCode;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class SpillFailureTest {
  @Test
  void aFullDiskIsToldApartFromAFaultOfOurs() {
    assertThat(SpillFailure.of(new IOException("No space left on device")).code())
        .isEqualTo(ErrorCode.OUT_OF_DISK_SPACE);
    assertThat(SpillFailure.of(new IOException("Input/output error")).code())
        .isEqualTo(ErrorCode.INTERNAL_ERROR);
    assertThat(SpillFailure.of(new IOException()).code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
  }
}
