package dev.orrery.language.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.value.StringOrder;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class CollationTest {
  @Test
  void specificationIsCompletedAsMongoDbPrintsIt() {
    assertThat(parse("{locale: 'fr'}").specification().toJson())
        .isEqualTo(
            BsonDocument.parse(
                    """
                    {"locale": "fr", "caseLevel": false, "caseFirst": "off", "strength": 3,
                     "numericOrdering": false, "alternate": "non-ignorable",
                     "maxVariable": "punct", "normalization": false, "backwards": false,
                     "version": "57.1"}""")
                .toJson());
  }

  @Test
  void localeBringsItsOwnSettings() {
    assertThat(parse("{locale: 'fr_CA'}").specification().getBoolean("backwards").getValue())
        .isTrue();
  }

  @Test
  void givenSettingsArePrintedBack() {
    var specification =
        parse(
                """
                {locale: 'en_US', strength: 1, caseLevel: true, caseFirst: 'lower',
                 numericOrdering: true, alternate: 'shifted', maxVariable: 'space',
                 normalization: true, backwards: true}""")
            .specification();
    assertThat(specification.toJson())
        .isEqualTo(
            BsonDocument.parse(
                    """
                    {"locale": "en_US", "caseLevel": true, "caseFirst": "lower", "strength": 1,
                     "numericOrdering": true, "alternate": "shifted", "maxVariable": "space",
                     "normalization": true, "backwards": true, "version": "57.1"}""")
                .toJson());
  }

  @Test
  void simpleAndEmptyAreOne() {
    assertThat(parse("{}").isSimple()).isTrue();
    assertThat(parse("{locale: 'simple'}").isSimple()).isTrue();
    assertThat(parse("{locale: 'simple'}").strings()).isSameAs(StringOrder.UTF8);
  }

  @Test
  void comparisonAndSortKeysAgree() {
    var strings = parse("{locale: 'sv', strength: 3}").strings();
    var words = List.of("", "a", "A", "å", "ä", "ö", "z", "zz", "é", "e", "10", "9", " ", "-");
    for (String left : words) {
      for (String right : words) {
        int byKey = Arrays.compareUnsigned(strings.sortKey(left), strings.sortKey(right));
        assertThat(Integer.signum(strings.compare(left, right)))
            .as("%s and %s", left, right)
            .isEqualTo(Integer.signum(byKey));
      }
    }
  }

  @Test
  void otherVersionIsRefused() {
    assertThatThrownBy(() -> parse("{locale: 'en', version: '60.0'}"))
        .hasMessage(
            "Requested collation version 60.0 but the only available collator version was 57.1."
                + " Requested collation spec: { locale: \"en\", version: \"60.0\" }");
  }

  private static Collation parse(String json) {
    return Collation.parse(BsonDocument.parse(json));
  }
}
