package dev.orrery.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.value.LittleEndian;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MessageDecoderTest {
  private static final byte[] STREAM =
      Frames.bytes()
          .raw(Frames.hello())
          .raw(Frames.ping())
          .raw(Frames.compressed(Compressor.ZLIB, Frames.ping()))
          .build();

  private final MessageDecoder decoder = new MessageDecoder();

  @Test
  void messagesArriveInTwoPiecesCutAnywhere() {
    for (int cut = 1; cut < STREAM.length; cut++) {
      var first = Unpooled.wrappedBuffer(Arrays.copyOf(STREAM, cut));
      var second = Unpooled.wrappedBuffer(Arrays.copyOfRange(STREAM, cut, STREAM.length));
      decoder.feed(first);
      int count = Frames.drain(decoder).size();
      decoder.feed(second);
      count += Frames.drain(decoder).size();

      assertThat(count).as("cut at %d", cut).isEqualTo(3);
      assertThat(first.refCnt() + second.refCnt()).isZero();
    }
  }

  @Test
  void messagesArriveByteByByte() {
    int count = 0;
    for (byte next : STREAM) {
      decoder.feed(Unpooled.wrappedBuffer(new byte[] {next}));
      count += Frames.drain(decoder).size();
    }
    assertThat(count).isEqualTo(3);
  }

  @Test
  void aLongMessageArrivesInManyPieces() {
    byte[] frame = padded(1_000_000);
    Message message = null;
    for (int at = 0; at < frame.length; at += 4096) {
      assertThat(message).isNull();
      int end = Math.min(frame.length, at + 4096);
      decoder.feed(Unpooled.wrappedBuffer(Arrays.copyOfRange(frame, at, end)));
      message = decoder.poll();
    }
    assertThat(message.body().bytes()).isEqualTo(frame);
  }

  @Test
  void nothingIsReadBeforeItIsAskedFor() {
    ByteBuf buffer = Unpooled.wrappedBuffer(STREAM);
    decoder.feed(buffer);
    assertThat(decoder.hasUnread()).isTrue();

    assertThat(decoder.poll()).isInstanceOf(OpQuery.class);
    assertThat(buffer.readerIndex()).isEqualTo(Frames.hello().length);
    assertThat(Frames.drain(decoder)).hasSize(2);
    assertThat(decoder.hasUnread()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Integer.MIN_VALUE, -1, 0, 15, WireLimits.MESSAGE_BYTES_MAX + 1, Integer.MAX_VALUE})
  void lengthsOutOfBoundsAreRefusedBeforeTheRestArrives(int length) {
    decoder.feed(Unpooled.wrappedBuffer(Frames.bytes().int32(length).build()));

    assertThatThrownBy(decoder::poll)
        .isInstanceOf(WireException.class)
        .hasMessageContaining("length " + length);
  }

  @Test
  void anAnnouncedLengthAllocatesNothingByItself() {
    byte[] start = Frames.bytes().int32(WireLimits.MESSAGE_BYTES_MAX).raw(new byte[100]).build();
    byte[] packed = Frames.compressed(Compressor.SNAPPY, Frames.ping());
    LittleEndian.putInt32(packed, 20, WireLimits.MESSAGE_BYTES_MAX - WireLimits.HEADER_BYTES);
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    long before = threads.getCurrentThreadAllocatedBytes();
    decoder.feed(Unpooled.wrappedBuffer(start));
    assertThat(decoder.poll()).isNull();
    assertThatThrownBy(() -> Frames.decode(packed)).isInstanceOf(WireException.class);

    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(5_000_000);
  }

  @Test
  void theArrayOfAMessageAsLongAsAnEarlierOneDoesNotGrow() {
    byte[] frame = padded(1_000_000);
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    receiveInPieces(frame);

    long before = threads.getCurrentThreadAllocatedBytes();
    receiveInPieces(frame);
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1_500_000);
  }

  private void receiveInPieces(byte[] frame) {
    Message message = null;
    ByteBuf all = Unpooled.wrappedBuffer(frame);
    while (message == null) {
      decoder.feed(all.readRetainedSlice(Math.min(all.readableBytes(), 65_536)));
      message = decoder.poll();
    }
    assertThat(message.body().bytes()).hasSize(frame.length);
    assertThat(all.isReadable()).isFalse();
    all.release();
  }

  @Test
  void aMessageOfTheGreatestLengthIsAccepted() {
    byte[] frame = padded(WireLimits.MESSAGE_BYTES_MAX);
    assertThat(Frames.decodeOpMsg(frame).body().length())
        .isEqualTo(WireLimits.MESSAGE_BYTES_MAX - 21);
  }

  @Test
  void aHeaderAloneIsNoMessage() {
    for (OpCode opCode : OpCode.values()) {
      assertThatThrownBy(() -> Frames.decode(Frames.bytes().frame(opCode)))
          .isInstanceOf(WireException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1, 1000, 2001, 2002, 2005, 2006, 2007, 2010, 2011, 2014})
  void otherOpcodesAreRefused(int opCode) {
    byte[] frame = Frames.bytes().int32(0).body("{ping: 1}").frame(opCode);
    assertThatThrownBy(() -> Frames.decode(frame)).isInstanceOf(WireException.class);
  }

  @Test
  void nothingIsReadAfterAViolation() {
    decoder.feed(Unpooled.wrappedBuffer(Frames.bytes().int32(3).raw(Frames.ping()).build()));
    assertThatThrownBy(decoder::poll).isInstanceOf(WireException.class);

    ByteBuf late = Unpooled.wrappedBuffer(Frames.ping());
    decoder.feed(late);
    assertThat(late.refCnt()).isZero();
    assertThat(decoder.poll()).isNull();
  }

  @Test
  void closeReleasesWhatWasNotRead() {
    ByteBuf buffer = Unpooled.wrappedBuffer(STREAM);
    decoder.feed(buffer);
    decoder.poll();
    decoder.close();

    assertThat(buffer.refCnt()).isZero();
  }

  /** A message of just this length, filled up with one long string. */
  private static byte[] padded(int length) {
    byte[] empty = Frames.bytes().int32(0).body("{a: ''}").frame(OpCode.OP_MSG);
    int padding = length - empty.length;
    byte[] frame = Arrays.copyOf(empty, length);
    Arrays.fill(frame, empty.length - 2, length - 2, (byte) 'x');
    LittleEndian.putInt32(frame, 0, length);
    LittleEndian.putInt32(frame, 21, length - 21);
    LittleEndian.putInt32(frame, 28, 1 + padding);
    frame[length - 1] = 0;
    frame[length - 2] = 0;
    return frame;
  }
}
