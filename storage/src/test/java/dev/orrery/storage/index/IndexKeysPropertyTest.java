package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.value.FieldPath;
import dev.orrery.value.FieldPath.LeafArrays;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/** What a query reaches in random documents, the index has a key for. */
class IndexKeysPropertyTest {
  private final Random random = new Random(1);

  @Test
  void everyValueThatAPathReachesHasItsKey() {
    for (int i = 0; i < 20_000; i++) {
      var document = RawDocument.of(document(4));
      for (String path : List.of("a", "a.b", "a.b.a", "b.b")) {
        var keys = IndexKeys.of(IndexKeysTest.spec("{'" + path + "': 1}", "{}"));
        var keySet = keys.extract(document);
        assertThat(keySet.keys()).isSortedAccordingTo(Arrays::compareUnsigned).isNotEmpty();
        assertThat(hex(keySet.keys()))
            .as("%s of %s", path, document)
            .containsAll(reached(path, document));
        assertThat(keySet.keys().size() == 1 || keySet.isMultikey()).isTrue();
      }
    }
  }

  @Test
  void compoundKeysAreMadeOfTheKeysOfTheirFields() {
    var first = IndexKeys.of(IndexKeysTest.spec("{'a.b': 1}", "{}"));
    var second = IndexKeys.of(IndexKeysTest.spec("{'a.a': 1}", "{}"));
    var both = IndexKeys.of(IndexKeysTest.spec("{'a.b': 1, 'a.a': 1}", "{}"));
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      var document = RawDocument.of(document(4));
      Set<String> pairs = new TreeSet<>();
      for (String left : hex(first.of(document))) {
        for (String right : hex(second.of(document))) {
          pairs.add(left + right);
        }
      }
      try {
        assertThat(pairs).as("%s", document).containsAll(hex(both.of(document)));
      } catch (IndexKeyException e) {
        refused++;
      }
    }
    assertThat(refused).isBetween(1, 10_000);
  }

  private static List<String> hex(List<byte[]> keys) {
    return keys.stream().map(HexFormat.of()::formatHex).toList();
  }

  /** The keys of all values reached, but for arrays, which an index finds by their elements. */
  private static Set<String> reached(String path, RawDocument document) {
    Set<String> keys = new TreeSet<>();
    FieldPath.parse(path)
        .visit(
            document,
            LeafArrays.EXPAND,
            (value, index) -> {
              BsonValue found = value == null ? BsonNull.VALUE : value.toBsonValue();
              if (!found.isArray()) {
                keys.add(HexFormat.of().formatHex(KeyEncoder.encode(found)));
              }
              return false;
            });
    return keys;
  }

  private BsonDocument document(int depth) {
    var document = new BsonDocument();
    for (String name : List.of("a", "b")) {
      if (random.nextInt(5) != 0) {
        document.append(name, value(depth - 1));
      }
    }
    return document;
  }

  private BsonValue value(int depth) {
    int kind = depth == 0 ? random.nextInt(2) : random.nextInt(6);
    if (kind == 0) {
      return BsonNull.VALUE;
    }
    if (kind == 1) {
      return new BsonInt32(random.nextInt(3));
    }
    if (kind < 4) {
      return document(depth);
    }
    var array = new BsonArray();
    for (int i = random.nextInt(4); i > 0; i--) {
      array.add(value(depth - 1));
    }
    return array;
  }
}
