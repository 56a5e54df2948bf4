package dev.orrery.wire;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class Utf8Test {
  private static final int BEFORE = 3; // bytes that are none of the text's business

  /** Every length and place that the steps of the check may meet. */
  @Test
  void anOddByteIsSeenWhereverItIs() {
    for (int length = 0; length < 80; length++) {
      byte[] text = text(length);
      assertThatCode(() -> check(text)).as("length %d", length).doesNotThrowAnyException();
      for (int at = 0; at < length; at++) {
        byte[] broken = text(length);
        broken[BEFORE + at] = (byte) 0x80;
        assertThatThrownBy(() -> check(broken))
            .as("length %d, byte %d", length, at)
            .isInstanceOf(WireException.class);
      }
    }
  }

  @Test
  void aSequenceIsSeenWhereverItIs() {
    for (int length = 4; length < 80; length++) {
      for (int at = 0; at <= length - 4; at++) {
        byte[] text = text(length);
        System.arraycopy(
            new byte[] {(byte) 0xf0, (byte) 0x9f, (byte) 0x8c, (byte) 0x8d},
            0,
            text,
            BEFORE + at,
            4);
        assertThatCode(() -> check(text)).doesNotThrowAnyException();
        text[BEFORE + at + 3] = 'x';
        assertThatThrownBy(() -> check(text)).isInstanceOf(WireException.class);
      }
    }
  }

  private static byte[] text(int length) {
    byte[] text = new byte[BEFORE + length + BEFORE];
    Arrays.fill(text, (byte) 0xff);
    Arrays.fill(text, BEFORE, BEFORE + length, (byte) 'a');
    return text;
  }

  private static void check(byte[] text) {
    Utf8.requireValid(text, BEFORE, text.length - BEFORE);
  }
}
