package dev.orrery.language.update;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.expression.ParseContext;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What updates say of the difference they make, as MongoDB's log of operations has it. */
final class DeltaTest {
  private static final RawDocument BEFORE =
      RawDocument.of(
          BsonDocument.parse(
              "{_id: 1, a: 1, s: 'x', l: [1, 2, 3, 4], o: {x: 1, y: {z: 1, w: 2}},"
                  + " d: [{k: 1, v: [1, 2]}, {k: 2}]}"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{$set: {a: 2, s: 'y', n: 1}} | {u: {a: 2, s: 'y'}, i: {n: 1}}",
        "{$set: {a: 1, s: 'y'}} | {u: {s: 'y'}}",
        "{$set: {'o.x': 5}} | {so: {u: {x: 5}}}",
        "{$set: {o: {q: 1}}} | {u: {o: {q: 1}}}",
        "{$set: {'n.p': 1, 'n.q': 2}} | {i: {n: {p: 1, q: 2}}}",
        "{$unset: {'o.y.z': 1}} | {so: {sy: {d: {z: false}}}}",
        "{$rename: {a: 'b'}} | {d: {a: false}, i: {b: 1}}",
        "{$push: {l: 5}} | {sl: {a: true, u4: 5}}",
        "{$push: {l: {$each: [0], $position: 0}}} | {u: {l: [0, 1, 2, 3, 4]}}",
        "{$pop: {l: 1}} | {u: {l: [1, 2, 3]}}",
        "{$set: {'l.1': 20}} | {sl: {a: true, u1: 20}}",
        "{$unset: {'l.1': 1}} | {sl: {a: true, u1: null}}",
        "{$set: {'d.1.k': 20, 'd.0.m': 1}} | {sd: {a: true, s0: {i: {m: 1}}, s1: {u: {k: 20}}}}"
      })
  void anUpdateByOperatorsTellsWhatItTouched(String update, String delta) {
    assertThat(delta(BsonDocument.parse(update))).isEqualTo(BsonDocument.parse(delta));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[{$set: {l: {$slice: ['$l', 2]}}}] | {sl: {a: true, l: 2}}",
        "[{$set: {l: {$concatArrays: ['$l', [5]]}}}] | {sl: {a: true, u4: 5}}",
        "[{$set: {l: {$concatArrays: [[9], {$slice: ['$l', 1, 1]}]}}}] | {u: {l: [9, 2]}}",
        "[{$set: {'o.n': [1], l: []}}] | {u: {l: []}, so: {i: {n: [1]}}}",
        "[{$set: {d: [{k: 1, v: [1]}, {k: 3}]}}] | {u: {d: [{k: 1, v: [1]}, {k: 3}]}}"
      })
  void anUpdateByStagesTellsTheDifferenceUnlessTheWholeIsShorter(String stages, String delta) {
    BsonValue update = BsonDocument.parse("{u: " + stages + "}").get("u");
    assertThat(delta(update)).isEqualTo(BsonDocument.parse(delta));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"{u: {a: 2}}", "{u: [{$replaceRoot: {newRoot: {_id: 1, a: 1, z: 1}}}]}"})
  void aNewBodyIsToldAsAWhole(String update) {
    assertThat(apply(BsonDocument.parse(update).get("u")).delta()).isNull();
  }

  private static BsonDocument delta(BsonValue update) {
    return apply(update).delta().toBsonDocument();
  }

  private static Update.Result apply(BsonValue update) {
    return UpdateParser.parse(RawValue.of(update), UpdateOptions.of(ParseContext.at(0)))
        .apply(BEFORE, Update.NO_ARRAY_INDEX, CLOCK);
  }

  private static final UpdateClock CLOCK =
      new UpdateClock() {
        @Override
        public long nowMillis() {
          return 0;
        }

        @Override
        public BsonTimestamp nextTimestamp() {
          return new BsonTimestamp(1);
        }
      };
}
