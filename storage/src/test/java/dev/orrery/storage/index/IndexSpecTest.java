package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexField.Kind;
import dev.orrery.storage.catalog.IndexSpec;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class IndexSpecTest {
  @Test
  void optionsAreReadFromTheDocument() {
    var document =
        BsonDocument.parse(
            """
            {v: 2, key: {a: 1, 'b.c': -1.0}, name: 'n', unique: true, sparse: 1, hidden: true,
             expireAfterSeconds: 60, collation: {locale: 'de'}, storageEngine: {x: 1},
             partialFilterExpression: {a: {$gt: 1}}, wildcardProjection: {a: 1}}
            """);
    var spec = IndexSpec.of(document);
    assertThat(spec.name()).isEqualTo("n");
    assertThat(spec.fields())
        .extracting(field -> field.path().dotted())
        .containsExactly("a", "b.c");
    assertThat(spec.fields()).extracting(IndexField::isDescending).containsExactly(false, true);
    assertThat(spec.isUnique()).isTrue();
    assertThat(spec.isSparse()).isTrue();
    assertThat(spec.isHidden()).isTrue();
    assertThat(spec.expireAfterSeconds()).hasValue(60);
    assertThat(spec.collation()).isEqualTo(BsonDocument.parse("{locale: 'de'}"));
    assertThat(spec.partialFilter()).isEqualTo(BsonDocument.parse("{a: {$gt: 1}}"));
    assertThat(spec.wildcardProjection()).isEqualTo(BsonDocument.parse("{a: 1}"));
    assertThat(spec.document()).isEqualTo(document).isNotSameAs(document);
    assertThat(spec).isEqualTo(IndexSpec.of(document)).hasSameHashCodeAs(IndexSpec.of(document));
  }

  @Test
  void optionsNotGivenAreOff() {
    var spec = IndexSpec.of(BsonDocument.parse("{key: {a: 1}, name: 'a_1', unique: false}"));
    assertThat(spec.isUnique() || spec.isSparse() || spec.isHidden()).isFalse();
    assertThat(spec.isIdIndex()).isFalse();
    assertThat(spec.partialFilter()).isNull();
    assertThat(spec.collation()).isNull();
    assertThat(spec.expireAfterSeconds()).isEmpty();
  }

  @Test
  void kindsAreToldByValueAndName() {
    assertThat(kind("{a: 'hashed'}")).isEqualTo(Kind.HASHED);
    assertThat(kind("{_fts: 'text', _ftsx: 1}")).isEqualTo(Kind.TEXT);
    assertThat(kind("{a: '2d'}")).isEqualTo(Kind.GEO_2D);
    assertThat(kind("{a: '2dsphere'}")).isEqualTo(Kind.GEO_2DSPHERE);
    assertThat(kind("{'$**': 1}")).isEqualTo(Kind.WILDCARD);
    assertThat(kind("{'a.b.$**': 1}")).isEqualTo(Kind.WILDCARD);
    assertThat(kind("{'a$**': 1}")).isEqualTo(Kind.ORDERED);
    assertThatThrownBy(() -> kind("{a: 'nonsense'}")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void wildcardRootsAreThePathBefore() {
    assertThat(field("{'$**': 1}").wildcardRoot()).isEmpty();
    assertThat(field("{'a.b.$**': 1}").wildcardRoot()).isEqualTo("a.b");
  }

  @Test
  void theIdIndexIsKnown() {
    assertThat(IndexSpec.idIndex().isIdIndex()).isTrue();
    assertThat(IndexSpec.idIndex().isUnique()).isTrue();
    assertThat(IndexSpec.idIndex().name()).isEqualTo("_id_");
  }

  private static Kind kind(String pattern) {
    return field(pattern).kind();
  }

  private static IndexField field(String pattern) {
    return IndexKeysTest.spec(pattern, "{}").fields().get(0);
  }
}
