package dev.orrery.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.value.LittleEndian;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CompressedMessageTest {
  @ParameterizedTest
  @EnumSource
  void aMessageSurvivesCompression(Compressor compressor) {
    OpMsg message = Frames.decodeOpMsg(Frames.compressed(compressor, Frames.ping()));

    assertThat(message.requestId()).isEqualTo(7);
    assertThat(message.header().compressor()).isEqualTo(compressor);
    assertThat(message.body().bytes()).isEqualTo(Frames.ping());
    assertThat(Frames.decode(Frames.compressed(compressor, Frames.hello())).get(0))
        .isInstanceOf(OpQuery.class);
  }

  @ParameterizedTest
  @EnumSource
  void bytesOfEveryKindSurviveCompression(Compressor compressor) {
    var random = new Random(11);
    for (int length : new int[] {0, 1, 100, 100_000, 3_000_000}) {
      byte[] noise = new byte[length];
      random.nextBytes(noise);
      for (byte[] plain : new byte[][] {noise, new byte[length]}) {
        byte[] packed = compressor.compress(plain, 0);
        assertThat(compressor.decompress(packed, 0, 0, length)).isEqualTo(plain);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void theLengthAnnouncedMustBeTheRealOne(Compressor compressor) {
    byte[] frame = Frames.compressed(compressor, Frames.ping());
    int real = LittleEndian.int32(frame, 20);
    for (int lie :
        new int[] {Integer.MIN_VALUE, -1, 0, real - 1, real + 1, 100_000, Integer.MAX_VALUE}) {
      LittleEndian.putInt32(frame, 20, lie);
      assertThatThrownBy(() -> Frames.decode(frame))
          .as("%s announces %d", compressor, lie)
          .isInstanceOf(WireException.class);
    }
  }

  @Test
  void aLengthThatThePackedBytesCannotReachIsRefused() {
    byte[] frame = Frames.compressed(Compressor.SNAPPY, Frames.ping());
    LittleEndian.putInt32(frame, 20, 22 * (frame.length - 25) + 1);
    assertThatThrownBy(() -> Frames.decode(frame))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("announces a length");
  }

  @ParameterizedTest
  @EnumSource
  void aMessageMayNotUnpackToMoreThanTheLimit(Compressor compressor) {
    int most = WireLimits.MESSAGE_BYTES_MAX - WireLimits.HEADER_BYTES;
    byte[] packed = compressor.compress(new byte[most + 1], 0);
    assertThatThrownBy(() -> compressor.decompress(packed, 0, WireLimits.HEADER_BYTES, most + 1))
        .isInstanceOf(WireException.class);
  }

  @ParameterizedTest
  @EnumSource
  void everyTruncationIsRefused(Compressor compressor) {
    byte[] frame = Frames.compressed(compressor, Frames.ping());
    for (int length = 16; length < frame.length; length++) {
      byte[] part = Arrays.copyOf(frame, length);
      LittleEndian.putInt32(part, 0, length);
      assertThatThrownBy(() -> Frames.decode(part)).isInstanceOf(WireException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCompressedMessageInsideAnotherIsRefused(Compressor compressor) {
    byte[] twice = Frames.compressed(compressor, Frames.compressed(compressor, Frames.ping()));
    assertThatThrownBy(() -> Frames.decode(twice))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("inside another");
  }

  @Test
  void unknownCompressorsAndOpcodesAreRefused() {
    byte[] frame = Frames.compressed(Compressor.NOOP, Frames.ping());
    frame[24] = 4;
    assertThatThrownBy(() -> Frames.decode(frame)).hasMessage("unknown compressor 4");
    frame[24] = -1;
    assertThatThrownBy(() -> Frames.decode(frame)).hasMessage("unknown compressor -1");
    frame[24] = 0;
    LittleEndian.putInt32(frame, 16, 2002);
    assertThatThrownBy(() -> Frames.decode(frame)).hasMessage("unsupported opcode 2002");
  }

  @Test
  void aChecksumCoversTheHeaderBeforeCompression() {
    byte[] plain =
        Frames.bytes()
            .int32(OpMsg.CHECKSUM_PRESENT)
            .body("{ping: 1}")
            .int32(0)
            .frame(OpCode.OP_MSG);
    var checksum = new CRC32C();
    checksum.update(plain, 0, plain.length - 4);
    LittleEndian.putInt32(plain, plain.length - 4, (int) checksum.getValue());

    assertThat(Frames.decode(Frames.compressed(Compressor.ZSTD, plain))).hasSize(1);
  }

  @Test
  void clientsChooseByName() {
    assertThat(Compressor.find("zstd")).contains(Compressor.ZSTD);
    assertThat(Compressor.find("snappy")).contains(Compressor.SNAPPY);
    assertThat(Compressor.find("zlib")).contains(Compressor.ZLIB);
    assertThat(Compressor.find("noop")).isEmpty();
    assertThat(Compressor.find("lz4")).isEmpty();
  }
}
