package dev.orrery.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.value.LittleEndian;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class OpMsgTest {
  private static final String PING = "{ping: 1, $db: 'admin'}";

  @Test
  void aBodyAloneIsAMessage() {
    OpMsg message = Frames.decodeOpMsg(Frames.ping());

    assertThat(message.requestId()).isEqualTo(7);
    assertThat(message.header().compressor()).isEqualTo(Compressor.NOOP);
    assertThat(message.expectsReply()).isTrue();
    assertThat(message.sequences()).isEmpty();
    assertThat(message.body().copy()).isEqualTo(Frames.document(PING));
  }

  @Test
  void sectionsComeInAnyOrder() {
    byte[] frame =
        Frames.bytes()
            .int32(0)
            .sequence("documents", "{_id: 1}", "{_id: 2}")
            .body("{insert: 'c', $db: 'd'}")
            .sequence("other")
            .frame(OpCode.OP_MSG);

    OpMsg message = Frames.decodeOpMsg(frame);

    assertThat(Frames.json(message.body())).isEqualTo("{\"insert\": \"c\", \"$db\": \"d\"}");
    assertThat(message.sequences())
        .extracting(DocumentSequence::name)
        .containsExactly("documents", "other");
    assertThat(message.sequences().get(0).documents())
        .extracting(Frames::json)
        .containsExactly("{\"_id\": 1}", "{\"_id\": 2}");
    assertThat(message.sequences().get(1).documents()).isEmpty();
  }

  @Test
  void moreToComeMeansNoReply() {
    assertThat(Frames.decodeOpMsg(withFlags(OpMsg.MORE_TO_COME)).expectsReply()).isFalse();
  }

  @Test
  void optionalFlagsAreIgnored() {
    OpMsg message = Frames.decodeOpMsg(withFlags(0xffff0000));

    assertThat(message.has(OpMsg.EXHAUST_ALLOWED)).isTrue();
    assertThat(message.expectsReply()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
  void unknownRequiredFlagsAreRefused(int bit) {
    assertRefused(withFlags(1 << bit), "unknown flags");
  }

  @Test
  void aChecksumThatMatchesIsAccepted() {
    assertThat(Frames.decodeOpMsg(withChecksum(0)).body().copy()).isEqualTo(Frames.document(PING));
  }

  @Test
  void aChecksumThatDiffersIsRefused() {
    assertRefused(withChecksum(1), "checksum");
  }

  @Test
  void aChecksumNeedsRoom() {
    assertRefused(
        Frames.bytes().int32(OpMsg.CHECKSUM_PRESENT).raw((byte) 0, (byte) 0).frame(OpCode.OP_MSG),
        "no room");
  }

  @Test
  void exactlyOneBodyIsNeeded() {
    assertRefused(Frames.bytes().int32(0).frame(OpCode.OP_MSG), "no body");
    assertRefused(Frames.bytes().int32(0).sequence("a").frame(OpCode.OP_MSG), "no body");
    assertRefused(Frames.bytes().int32(0).body(PING).body(PING).frame(OpCode.OP_MSG), "two bodies");
  }

  @Test
  void unknownSectionKindsAreRefused() {
    assertRefused(
        Frames.bytes().int32(0).body(PING).int8(2).json("{}").frame(OpCode.OP_MSG), "kind 2");
  }

  @Test
  void twoSequencesOfOneNameAreRefused() {
    assertRefused(
        Frames.bytes().int32(0).body(PING).sequence("a").sequence("a").frame(OpCode.OP_MSG),
        "two document sequences a");
  }

  @Test
  void theNumberOfSequencesIsBounded() {
    var frame = Frames.bytes().int32(0).body(PING);
    for (int i = 0; i < MessageParser.SEQUENCES_MAX; i++) {
      frame.sequence("s" + i);
    }
    assertThat(Frames.decodeOpMsg(frame.frame(OpCode.OP_MSG)).sequences())
        .hasSize(MessageParser.SEQUENCES_MAX);

    assertRefused(frame.sequence("last").frame(OpCode.OP_MSG), "too many");
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 3, 4, 5, 12, 13, 15, 1000, Integer.MAX_VALUE})
  void aSequenceLengthThatLiesIsRefused(int length) {
    byte[] frame =
        Frames.bytes()
            .int32(0)
            .body(PING)
            .int8(1)
            .int32(length)
            .cstring("docs")
            .raw(new byte[] {5, 0, 0, 0, 0})
            .frame(OpCode.OP_MSG);

    assertRefused(frame, "");
  }

  @Test
  void aSequenceNameIsUtf8AndTerminated() {
    byte[] badName = {1, 9, 0, 0, 0, (byte) 0xff, 'a', 'b', 'c', 0};
    assertRefused(Frames.bytes().int32(0).raw(badName).frame(OpCode.OP_MSG), "UTF-8");
    byte[] noEnd = {1, 8, 0, 0, 0, 'a', 'b', 'c', 'd'};
    assertRefused(Frames.bytes().int32(0).raw(noEnd).frame(OpCode.OP_MSG), "not terminated");
  }

  private static byte[] withFlags(int flags) {
    return Frames.bytes().int32(flags).body(PING).frame(OpCode.OP_MSG);
  }

  private static byte[] withChecksum(int error) {
    byte[] frame =
        Frames.bytes().int32(OpMsg.CHECKSUM_PRESENT).body(PING).int32(0).frame(OpCode.OP_MSG);
    var checksum = new CRC32C();
    checksum.update(frame, 0, frame.length - 4);
    LittleEndian.putInt32(frame, frame.length - 4, (int) checksum.getValue() + error);
    return frame;
  }

  private static void assertRefused(byte[] frame, String reason) {
    assertThatThrownBy(() -> Frames.decode(frame))
        .isInstanceOf(WireException.class)
        .hasMessageContaining(reason);
  }
}
