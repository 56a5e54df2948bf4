package dev.orrery.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.LittleEndian;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.DecoderContext;
import org.junit.jupiter.api.Test;

/**
 * Frames as clients send them, damaged at random but the same way in each run. Whatever arrives,
 * the decoder yields messages whose documents can be read, or says that the protocol was broken.
 */
final class MessageFuzzTest {
  private static final int FRAMES = 150_000;
  private static final int[] NASTY = {
    Integer.MIN_VALUE, -1, 0, 1, 4, 5, 16, 255, 65_536, 48_000_000, 48_000_001, Integer.MAX_VALUE
  };

  private final Random random = new Random(20_260_101);
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private int accepted;
  private int refused;

  @Test
  void damagedFramesNeverDoMoreThanBreakTheirConnection() {
    List<byte[]> seeds = seeds();
    for (int i = 0; i < FRAMES; i++) {
      converse(mutate(seeds.get(i % seeds.size())));
    }
    assertThat(accepted).isGreaterThan(FRAMES / 100);
    assertThat(refused).isGreaterThan(FRAMES / 2);
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  /** One connection: the damaged frame and a whole one, in random pieces. */
  private void converse(byte[] damaged) {
    byte[] stream = Frames.bytes().raw(damaged).raw(Frames.ping()).build();
    try (var decoder = new MessageDecoder()) {
      int at = 0;
      while (at < stream.length) {
        int count = 1 + random.nextInt(stream.length - at);
        ByteBuf piece = allocator.heapBuffer(count).writeBytes(stream, at, count);
        decoder.feed(piece);
        Frames.drain(decoder).forEach(this::read);
        at += count;
      }
      accepted++;
    } catch (WireException e) {
      refused++;
    }
  }

  /** What was accepted can be decoded by somebody else's reader without an exception. */
  private void read(Message message) {
    decode(message.body());
    if (message instanceof OpMsg command) {
      command.sequences().forEach(sequence -> sequence.documents().forEach(this::decode));
    }
  }

  private void decode(DocumentBytes document) {
    var raw = new RawBsonDocument(document.bytes(), document.offset(), document.length());
    new BsonDocumentCodec().decode(raw.asBsonReader(), DecoderContext.builder().build());
  }

  private byte[] mutate(byte[] seed) {
    byte[] bytes = seed.clone();
    for (int i = random.nextInt(3); i >= 0; i--) {
      bytes = mutateOnce(bytes);
    }
    if (random.nextInt(4) != 0 && bytes.length >= 4) {
      LittleEndian.putInt32(bytes, 0, bytes.length); // else hardly any would get past the length
    }
    return bytes;
  }

  private byte[] mutateOnce(byte[] bytes) {
    if (bytes.length < 8) {
      return bytes;
    }
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(6)) {
      case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> bytes[at] = (byte) random.nextInt(256);
      case 2 -> LittleEndian.putInt32(bytes, Math.min(at, bytes.length - 4), nasty());
      case 3 -> {
        return Arrays.copyOf(bytes, at);
      }
      case 4 -> {
        byte[] tail = Arrays.copyOfRange(bytes, at, bytes.length);
        return Frames.bytes().raw(Arrays.copyOf(bytes, at)).raw(tail).raw(tail).build();
      }
      default -> {
        byte[] noise = new byte[1 + random.nextInt(8)];
        random.nextBytes(noise);
        byte[] tail = Arrays.copyOfRange(bytes, at, bytes.length);
        return Frames.bytes().raw(Arrays.copyOf(bytes, at)).raw(noise).raw(tail).build();
      }
    }
    return bytes;
  }

  private int nasty() {
    return NASTY[random.nextInt(NASTY.length)];
  }

  private static List<byte[]> seeds() {
    byte[] insert =
        Frames.bytes()
            .int32(OpMsg.EXHAUST_ALLOWED)
            .body("{insert: 'c', ordered: true, $db: 'd', lsid: {id: 'x'}}")
            .sequence("documents", "{_id: 1, a: 'text', b: [1, {c: 2.5}]}", "{_id: 2, d: null}")
            .frame(OpCode.OP_MSG);
    byte[] types =
        Frames.bytes()
            .int32(0)
            .body(
                "{find: 'c', filter: {a: {$regularExpression: {pattern: 'p', options: ''}},"
                    + " b: {$binary: {base64: 'AQIDBA==', subType: '02'}}, c: {$code: 'f',"
                    + " $scope: {x: 1}}, d: {$numberDecimal: '1'}, e: {$minKey: 1}, f: true,"
                    + " g: {$oid: '0123456789abcdef01234567'}, h: {$symbol: 's'}}, $db: 'd'}")
            .frame(OpCode.OP_MSG);
    var seeds = new ArrayList<>(List.of(Frames.ping(), Frames.hello(), insert, types));
    for (Compressor compressor : Compressor.values()) {
      seeds.add(Frames.compressed(compressor, insert));
    }
    return seeds;
  }
}
