package dev.orrery.server.transfer.source;

import static dev.orrery.server.transfer.TransferTesting.all;
import static dev.orrery.server.transfer.TransferTesting.document;
import static dev.orrery.server.transfer.TransferTesting.stream;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.transfer.TransferTesting;
import dev.orrery.server.transfer.export.JsonRecordWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;

final class JsonRecordsTest {
  private static JsonRecords read(String text) {
    return new JsonRecords(stream(text), "a.json");
  }

  @Test
  void documentsAreFoundInLinesOverLinesAndInArrays() throws IOException {
    var three = document("{a: [{a: 1}, {a: 2}, {a: '}{'}]}").getArray("a").getValues();
    assertThat(all(read("{\"a\":1}\n{\"a\":2}\r\n\n{\"a\":\"}{\"}"))).hasToString(three.toString());
    assertThat(all(read("{\n\"a\": 1\n} {\"a\":2}{\"a\":\"}{\"}\n"))).hasToString(three.toString());
    assertThat(all(read(" [\n{\"a\":1},{\"a\":2} , {\"a\":\"}{\"}]\n")))
        .hasToString(three.toString());
    assertThat(all(read("[]"))).isEmpty();
    assertThat(all(read(" \n"))).isEmpty();
    assertThat(all(read("\uFEFF{}"))).containsExactly(new BsonDocument());
  }

  @Test
  void extendedJsonIsReadInBothVersions() throws IOException {
    assertThat(
            all(
                read(
                    """
                    {"n": {"$numberLong": "5"}, "d": {"$date": "1970-01-01T00:00:00.001Z"}}
                    {"n": {"$numberLong": "5"}, "d": {"$date": {"$numberLong": "1"}}}
                    {"n": NumberLong(5), "d": {"$date": 1}}
                    """)))
        .allSatisfy(found -> assertThat(found.get("n")).isEqualTo(new BsonInt64(5)))
        .allSatisfy(found -> assertThat(found.getDateTime("d").getValue()).isEqualTo(1));
    BsonDocument old = all(read("{\"b\": {\"$binary\": \"AQ==\", \"$type\": \"05\"}}")).get(0);
    assertThat(old.getBinary("b").getType()).isEqualTo((byte) 5);
  }

  @Test
  void whatIsWrittenIsReadAgain() throws IOException {
    for (boolean isArray : new boolean[] {false, true}) {
      for (boolean isPretty : new boolean[] {false, true}) {
        var documents = TransferTesting.random(7, 200);
        var out = new ByteArrayOutputStream();
        try (var writer = new JsonRecordWriter(out, true, isPretty, isArray)) {
          for (BsonDocument each : documents) {
            writer.write(new RawBsonDocument(each, new BsonDocumentCodec()));
          }
        }
        var in = new ByteArrayInputStream(out.toByteArray());
        assertThat(all(new JsonRecords(in, "a.json"))).isEqualTo(documents);
      }
    }
  }

  @Test
  void brokenJsonIsRefusedWithItsLine() throws IOException {
    assertThatThrownBy(() -> all(read("{}\n{\"a\": 1\n{\"b\": 2}\n")))
        .isInstanceOf(TransferException.class)
        .hasMessage(
            "a.json: the document that begins in line 2 has no end; a brace or a quote is missing.");
    assertThatThrownBy(() -> all(read("{}\nhello\n")))
        .isInstanceOf(TransferException.class)
        .hasMessageStartingWith(
            "a.json, line 2: this is no JSON: a document was expected here, and 'h' was found");
    assertThatThrownBy(() -> all(read("[{}"))).hasMessageContaining("the array has no end");
    assertThatThrownBy(() -> all(read("[{} {}]"))).hasMessageContaining("a comma or the end");
    assertThatThrownBy(() -> all(read("[{}] {}"))).hasMessageContaining("after the end");
  }

  @Test
  void aDocumentWithoutSenseIsOneBadRecord() throws IOException {
    JsonRecords records = read("{}\n{\"a\": {\"$numberLong\": \"x\"}}\n{\"c\": 3}\n");
    records.next();
    SourceRecord bad = records.next();
    assertThatThrownBy(bad::document)
        .isInstanceOf(BadRecordException.class)
        .hasMessageStartingWith("a.json, line 2: this is no extended JSON: ");
    assertThat(records.next().document().toBsonDocument()).isEqualTo(document("{c: 3}"));
  }
}
