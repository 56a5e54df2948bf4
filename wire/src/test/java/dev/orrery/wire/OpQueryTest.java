package dev.orrery.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class OpQueryTest {
  @Test
  void aHandshakeIsAQueryOnTheCommandCollection() {
    var query = (OpQuery) Frames.decode(Frames.hello()).get(0);

    assertThat(query.requestId()).isEqualTo(7);
    assertThat(query.namespace()).isEqualTo("admin.$cmd");
    assertThat(query.database()).isEqualTo("admin");
    assertThat(query.isCommand()).isTrue();
    assertThat(query.numberToReturn()).isEqualTo(-1);
    assertThat(query.flags()).isEqualTo(4);
    assertThat(query.expectsReply()).isTrue();
    assertThat(Frames.json(query.body())).startsWith("{\"isMaster\": 1");
  }

  @Test
  void aFieldSelectorIsCheckedAndDropped() {
    var query = (OpQuery) Frames.decode(query("d.c").json("{a: 1}").frame(OpCode.OP_QUERY)).get(0);

    assertThat(query.isCommand()).isFalse();
    assertThat(Frames.json(query.body())).isEqualTo("{\"ping\": 1}");
    assertRefused(query("d.c").raw((byte) 5, (byte) 0).frame(OpCode.OP_QUERY));
  }

  @Test
  void bytesAfterTheLastDocumentAreRefused() {
    assertRefused(query("d.$cmd").json("{}").int8(0).frame(OpCode.OP_QUERY));
  }

  @Test
  void everyTruncationIsRefused() {
    byte[] whole = query("d.$cmd").build();
    for (int length = 0; length < whole.length; length++) {
      byte[] part = java.util.Arrays.copyOf(whole, length);
      assertRefused(Frames.bytes().raw(part).frame(OpCode.OP_QUERY));
    }
  }

  private static Frames query(String namespace) {
    return Frames.bytes().int32(0).cstring(namespace).int32(0).int32(1).json("{ping: 1}");
  }

  private static void assertRefused(byte[] frame) {
    assertThatThrownBy(() -> Frames.decode(frame)).isInstanceOf(WireException.class);
  }
}
