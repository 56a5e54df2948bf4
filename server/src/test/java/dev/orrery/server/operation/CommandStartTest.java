package dev.orrery.server.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.BsonText;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonJavaScript;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonNull;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/** The start of a long command reads like the start of all of it. */
class CommandStartTest {
  private static final int LENGTH = 1000;

  private static String text(BsonDocument command) {
    String text = BsonText.stored(command);
    return text.substring(0, Math.min(LENGTH, text.length()));
  }

  private static BsonDocument start(BsonDocument command) {
    return CommandStart.of(RawDocument.of(command), LENGTH, "");
  }

  private static BsonValue value(Random random, int depth) {
    int longest = random.nextInt(9) == 0 ? 10_000 : 200;
    String text = (random.nextBoolean() ? "ab" : "ä€").repeat(random.nextInt(longest));
    switch (random.nextInt(depth > 0 ? 12 : 10)) {
      case 0:
        return new BsonString(text);
      case 1:
        return new BsonBinary((byte) random.nextInt(3), new byte[random.nextInt(longest)]);
      case 2:
        return new BsonJavaScript(text);
      case 3:
        return new BsonJavaScriptWithScope(
            text, depth > 0 ? document(random, depth - 1) : new BsonDocument());
      case 4:
        return new BsonSymbol(text);
      case 5:
        return new BsonRegularExpression(text, "i");
      case 6:
        return new BsonInt64(random.nextLong());
      case 7:
        return new BsonDateTime(random.nextInt());
      case 8:
        return new BsonDouble(random.nextInt(9));
      case 9:
        return BsonNull.VALUE;
      case 10:
        return document(random, depth - 1);
      default:
        var array = new BsonArray();
        for (int i = random.nextInt(100); i > 0; i--) {
          array.add(random.nextInt(9) == 0 ? value(random, depth - 1) : new BsonInt32(i));
        }
        return array;
    }
  }

  private static BsonDocument document(Random random, int depth) {
    var document = new BsonDocument();
    for (int i = random.nextInt(10); i > 0; i--) {
      document.append("f" + i, value(random, depth));
    }
    return document;
  }

  @Test
  void itsTextIsTheStartOfTheWholeText() {
    for (int seed = 0; seed < 300; seed++) {
      BsonDocument command = document(new Random(seed), 2);
      assertThat(text(start(command))).as("seed %d", seed).isEqualTo(text(command));
    }
  }

  @Test
  void itHoldsNoMoreThanItShows() {
    var numbers = new ArrayList<BsonValue>();
    for (int i = 0; i < 100_000; i++) {
      numbers.add(new BsonInt32(i % 10));
    }
    var command =
        new BsonDocument("find", new BsonString("c".repeat(1 << 20)))
            .append("filter", new BsonDocument("a", new BsonArray(numbers)))
            .append("more", new BsonArray(List.copyOf(numbers)));
    BsonDocument start = start(command);
    assertThat(RawDocument.of(start).length()).isLessThan(20_000);
    assertThat(text(start)).isEqualTo(text(command));
  }

  @Test
  void aFieldIsLeftOutAndThoseBehindItAreNot() {
    var documents = new BsonArray();
    for (int i = 0; i < 2000; i++) {
      documents.add(new BsonInt32(i));
    }
    var command =
        new BsonDocument("insert", new BsonString("c"))
            .append("documents", documents)
            .append("ordered", new BsonInt32(1));
    assertThat(CommandStart.of(RawDocument.of(command), LENGTH, "documents").keySet())
        .containsExactly("insert", "ordered");
  }
}
