package dev.orrery.benchmarks.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyCheckTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ok: 1.0}",
        "{ok: 1}",
        "{cursor: {firstBatch: [{ok: 0}], id: {$numberLong: '0'}, ns: 'a.b'}, ok: 1.0}",
        "{n: 1, nModified: 0, ok: 1.0}",
        "{n: 1, ok: 1.0, operationTime: {$timestamp: {t: 1, i: 1}}, a: null, b: true, c: 'x',"
            + " d: {$date: 0}, e: {$oid: '000000000000000000000000'}, f: {$binary: {base64: 'AA==',"
            + " subType: '00'}}}"
      })
  void takesGoodReplies(String reply) {
    assertThat(isGood(reply)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{ok: 0.0, errmsg: 'no', code: 1}",
        "{ok: '1'}",
        "{n: 0, ok: 1.0}",
        "{n: 1, writeErrors: [{index: 0, code: 11000}], ok: 1.0}"
      })
  void refusesBadReplies(String reply) {
    assertThat(isGood(reply)).isFalse();
  }

  @Test
  void modifyingNothingIsNoError() {
    assertThat(isGood("{n: 1, nModified: 0, ok: 1}")).isTrue();
  }

  private static boolean isGood(String reply) {
    byte[] bytes = Template.of(BsonDocument.parse(reply)).toByteArray();
    return ReplyCheck.isGood(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
  }
}
