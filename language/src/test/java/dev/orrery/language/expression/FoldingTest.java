package dev.orrery.language.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.MemoryAccount;
import dev.orrery.language.limit.MemoryBudget;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/** What is computed ahead and kept comes out of the request's memory. */
class FoldingTest {
  private static final long MEGABYTE = 1 << 20;

  /** Large values, and small ones for which large ones are needed; all without a document. */
  private static final List<String> CONSTANTS =
      List.of(
          "{$range: [0, 100000]}",
          "{$size: {$range: [0, 100000]}}",
          "{$concatArrays: [{$range: [0, 50000]}, {$range: [0, 50000]}]}",
          "[{$range: [0, 40000]}, {a: {$range: [0, 40000]}}]",
          "{a: {$reverseArray: {$range: [0, 60000]}}, b: {$size: {$range: [0, 60000]}}}",
          "{$toUpper: {$reduce: {input: {$range: [0, 14]}, initialValue: 'abcdefgh', in: {$concat:"
              + " ['$$value', '$$value']}}}}",
          "{$in: [99999, {$range: [0, 100000]}]}",
          "{$setIsSubset: [['$x'], {$range: [0, 30000]}]}",
          "{$in: ['$x', {$range: [0, 30000]}]}",
          "{$let: {vars: {a: {$range: [0, 30000]}}, in: {$size: '$$a'}}}",
          "{$size: {$zip: {inputs: [{$range: [0, 20000]}, {$range: [0, 20000]}]}}}");

  private final MemoryBudget budget = new MemoryBudget(400 * MEGABYTE);

  private static Expression parse(String json) {
    BsonValue expression = BsonDocument.parse("{e: " + json + "}").get("e");
    return Expressions.parse(expression, ParseContext.at(0));
  }

  private static Expression optimized(String json, MemoryAccount account) {
    return new Allowance(() -> {}, account).grant(() -> parse(json).optimize());
  }

  private static BsonValue value(Expression expression) {
    return expression.evaluate(new Scope(new BsonDocument("x", new BsonInt32(7))));
  }

  @Test
  void aLargeConstantIsHeldAsLongAsTheRequestLasts() {
    try (MemoryAccount account = budget.open()) {
      Expression folded = optimized("{$range: [0, 100000]}", account);
      assertThat(folded).isInstanceOf(Constant.class);
      assertThat(account.heldBytes()).isBetween(2 * MEGABYTE, 6 * MEGABYTE);
    }
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void ofASmallConstantNothingIsHeldWhateverItWasMadeOf() {
    try (MemoryAccount account = budget.open()) {
      Expression folded = optimized("{$size: {$range: [0, 100000]}}", account);
      assertThat(folded).isEqualTo(new Constant(new BsonInt32(100_000)));
      assertThat(account.heldBytes()).isZero();
    }
  }

  @Test
  void whatThereIsNoMemoryForIsComputedWhenItIsNeeded() {
    for (String json : CONSTANTS) {
      BsonValue expected = value(parse(json));
      for (long megabytes : new long[] {4, 8, 16, 64, 400}) {
        var small = new MemoryBudget(megabytes * MEGABYTE);
        try (MemoryAccount account = small.open()) {
          new Allowance(() -> {}, account)
              .run(
                  () -> {
                    try {
                      Expression optimized = parse(json).optimize();
                      long kept = account.heldBytes();
                      assertThat(kept).as(json).isBetween(0L, megabytes * MEGABYTE / 2);
                      assertThat(value(optimized)).as(json).isEqualTo(expected);
                      assertThat(account.heldBytes()).as("after " + json).isEqualTo(kept);
                    } catch (CommandException noMemory) {
                      assertThat(megabytes).as(json).isLessThan(64);
                    }
                  });
        }
        assertThat(small.usedBytes()).as(json).isZero();
      }
    }
  }

  @Test
  void whatLastsLongerThanTheRequestKeepsNoLargeConstants() {
    try (MemoryAccount account = budget.open()) {
      Allowance lasting = new Allowance(() -> {}, account).forLasting();
      for (String json : CONSTANTS) {
        Expression optimized = lasting.grant(() -> parse(json).optimize());
        assertThat(account.heldBytes()).as(json).isZero();
        boolean isLarge =
            optimized instanceof Constant constant
                && ValueSize.heapBytes(constant.value()) > 200_000;
        assertThat(isLarge).as(json).isFalse();
        assertThat(value(optimized)).isEqualTo(value(parse(json)));
      }
      assertThat(lasting.grant(() -> parse("{$add: [1, 2]}").optimize()))
          .isEqualTo(new Constant(new BsonInt32(3)));
    }
  }
}
