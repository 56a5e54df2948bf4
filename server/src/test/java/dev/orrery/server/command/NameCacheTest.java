package dev.orrery.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

class NameCacheTest {
  private final NameCache cache = new NameCache();

  /** The one field's name, as the cache has it. */
  private String name(RawDocument document) {
    RawElements elements = document.elements();
    assertThat(elements.next()).isTrue();
    NameCache.Entry found = cache.name(elements, document.bytes());
    assertThat(found.hash()).isEqualTo(found.text().hashCode());
    return found.text();
  }

  private String name(String name) {
    return name(RawDocument.of(new BsonDocument(name, BsonNull.VALUE)));
  }

  private String text(String text) {
    return cache.text(RawDocument.of(new BsonDocument("a", new BsonString(text))).field("a"));
  }

  @Test
  void givesTheSameStringAgain() {
    for (String name : List.of("", "a", "filter", "eightbyt", "singleBatch", "x".repeat(64))) {
      assertThat(name(name)).isEqualTo(name).isSameAs(name(name)).isSameAs(text(name));
    }
  }

  @Test
  void keepsNoLongNames() {
    String longName = "x".repeat(65);
    assertThat(name(longName)).isEqualTo(longName).isNotSameAs(name(longName));
  }

  @Test
  void tellsNamesApartThatDifferInOneByte() {
    for (int length = 1; length <= 64; length++) {
      String name = "n".repeat(length);
      for (int at = 0; at < length; at++) {
        String other = name.substring(0, at) + "m" + name.substring(at + 1);
        assertThat(name(name)).isEqualTo(name);
        assertThat(name(other)).isEqualTo(other);
      }
      assertThat(name(name + "n")).isEqualTo(name + "n");
    }
  }

  /** What follows a name, and whether anything does, is not part of it. */
  @Test
  void looksAtTheNameAlone() {
    for (int length = 0; length <= 20; length++) {
      RawDocument document = RawDocument.of(new BsonDocument("n".repeat(length), BsonNull.VALUE));
      byte[] more = Arrays.copyOf(document.bytes(), document.length() + 20);
      Arrays.fill(more, document.length(), more.length, (byte) 'n');
      String atTheEnd = name(RawDocument.wrap(document.toByteArray(), 0, document.length()));
      assertThat(name(RawDocument.wrap(more, 0, document.length())))
          .hasSize(length)
          .isSameAs(atTheEnd);
    }
  }

  @Test
  void isRightForMoreNamesThanItHasPlacesFor() {
    var random = new Random(7);
    var names = new ArrayList<String>();
    for (int i = 0; i < 5_000; i++) {
      int length = random.nextInt(24);
      var name = new StringBuilder();
      for (int j = 0; j < length; j++) {
        name.appendCodePoint(random.nextInt(8) == 0 ? 0x65e5 : 'a' + random.nextInt(3));
      }
      names.add(name.toString());
    }
    for (int i = 0; i < 50_000; i++) {
      String name = names.get(random.nextInt(names.size()));
      assertThat(name(name)).isEqualTo(name);
    }
  }
}
