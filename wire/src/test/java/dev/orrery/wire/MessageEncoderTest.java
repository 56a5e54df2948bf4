package dev.orrery.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.LittleEndian;
import dev.orrery.wire.Message.Header;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class MessageEncoderTest {
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final MessageEncoder encoder = new MessageEncoder(allocator);
  private final DocumentBytes ok = DocumentBytes.of(Frames.document("{ok: 1.0}"));

  @AfterEach
  void everyBufferIsReleased() {
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  @Test
  void aCommandIsAnsweredWithOpMsg() {
    Message request = Frames.decodeOpMsg(Frames.ping());
    byte[] reply = Frames.take(encoder.encodeReply(request, 99, ok));

    byte[] expected =
        Frames.bytes()
            .int32(21 + ok.length())
            .int32(99)
            .int32(7)
            .int32(2013)
            .int32(0)
            .int8(0)
            .raw(ok.bytes())
            .build();
    assertThat(reply).isEqualTo(expected);
  }

  @Test
  void aQueryIsAnsweredWithOpReply() {
    Message request = Frames.decode(Frames.hello()).get(0);
    byte[] reply = Frames.take(encoder.encodeReply(request, 99, ok));

    byte[] expected =
        Frames.bytes()
            .int32(36 + ok.length())
            .int32(99)
            .int32(7)
            .int32(1)
            .int32(8)
            .int32(0)
            .int32(0)
            .int32(0)
            .int32(1)
            .raw(ok.bytes())
            .build();
    assertThat(reply).isEqualTo(expected);
  }

  @Test
  void aSliceIsWrittenAlone() {
    byte[] around = Frames.bytes().raw(new byte[3]).raw(ok.bytes()).raw(new byte[9]).build();
    Message request = Frames.decodeOpMsg(Frames.ping());
    var slice = new DocumentBytes(around, 3, ok.length());

    assertThat(Frames.take(encoder.encodeReply(request, 1, slice)))
        .isEqualTo(Frames.take(encoder.encodeReply(request, 1, ok)));
  }

  @ParameterizedTest
  @EnumSource
  void aCompressedRequestIsAnsweredInTheSameWay(Compressor compressor) {
    Message request = Frames.decodeOpMsg(Frames.compressed(compressor, Frames.ping()));
    byte[] reply = Frames.take(encoder.encodeReply(request, 99, ok));

    OpMsg decoded = Frames.decodeOpMsg(reply);
    assertThat(decoded.header()).isEqualTo(new Header(99, 7, compressor));
    assertThat(decoded.body().copy()).isEqualTo(ok.bytes());
    boolean isWrapped = LittleEndian.int32(reply, 12) == OpCode.OP_COMPRESSED.number();
    assertThat(isWrapped).isEqualTo(compressor != Compressor.NOOP);
  }

  @ParameterizedTest
  @EnumSource
  void sequencesAndChecksumsRoundTrip(Compressor compressor) {
    var sequence = new DocumentSequence("d\u00e4", List.of(ok, ok));
    var message =
        new OpMsg(
            new Header(1, 0, compressor),
            OpMsg.CHECKSUM_PRESENT | OpMsg.MORE_TO_COME,
            ok,
            List.of(sequence, new DocumentSequence("e", List.of())));

    OpMsg decoded = Frames.decodeOpMsg(Frames.take(encoder.encode(message)));

    assertThat(decoded.header()).isEqualTo(message.header());
    assertThat(decoded.flags()).isEqualTo(message.flags());
    assertThat(decoded.sequences()).hasSize(2);
    assertThat(decoded.sequences().get(0).name()).isEqualTo("d\u00e4");
    assertThat(decoded.sequences().get(0).documents())
        .extracting(DocumentBytes::copy)
        .containsExactly(ok.bytes(), ok.bytes());
  }

  @Test
  void aRequestWithAChecksumGetsAReplyWithOne() {
    var request =
        new OpMsg(new Header(5, 0, Compressor.NOOP), OpMsg.CHECKSUM_PRESENT, ok, List.of());

    OpMsg reply = Frames.decodeOpMsg(Frames.take(encoder.encodeReply(request, 6, ok)));
    assertThat(reply.has(OpMsg.CHECKSUM_PRESENT)).isTrue();
  }
}
