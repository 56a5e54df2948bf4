package dev.orrery.server.transfer.source;

import static dev.orrery.server.transfer.TransferTesting.all;
import static dev.orrery.server.transfer.TransferTesting.document;
import static dev.orrery.server.transfer.TransferTesting.stream;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.transfer.export.DelimitedWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;

final class DelimitedRecordsTest {
  private static final CsvFormat HEADER = format(false, false, CsvFormat.Grace.STOP);

  private static CsvFormat format(boolean isTyped, boolean ignoresBlanks, CsvFormat.Grace grace) {
    return new CsvFormat(List.of(), true, isTyped, ignoresBlanks, true, grace);
  }

  private static DelimitedRecords csv(String text, CsvFormat format) throws IOException {
    return new DelimitedRecords(new DelimitedRows(stream(text), "a.csv", ','), "a.csv", format);
  }

  @Test
  void quotesCommasAndLineBreaksAreUnderstood() throws IOException {
    assertThat(all(csv("\uFEFFa,b\r\n\"x, \"\"y\"\"\nz\",2\r\n\r\n,\"\"\r\n", HEADER)))
        .containsExactly(document("{a: 'x, \"y\"\\nz', b: 2}"), document("{a: '', b: ''}"));
  }

  @Test
  void valuesThatLookLikeNumbersAreNumbers() throws IOException {
    assertThat(all(csv("a,b,c,d,e,f\n1,-2.5,3000000000,1e3,0x10,1f\n", HEADER)))
        .containsExactly(
            document(
                "{a: 1, b: -2.5, c: {$numberLong: '3000000000'}, d: 1000.0, e: '0x10', f: '1f'}"));
  }

  @Test
  void dottedNamesNestAndNumbersInThemArePositions() throws IOException {
    assertThat(all(csv("a.b,a.c,l.0.x,l.1.x\n1,2,3,4\n", HEADER)))
        .containsExactly(document("{a: {b: 1, c: 2}, l: [{x: 3}, {x: 4}]}"));
    assertThatThrownBy(() -> all(csv("l.1\n1\n", HEADER)))
        .hasMessageContaining("must come in order");
  }

  @Test
  void valuesBeyondTheLastColumnGetNamesAndBlanksCanBeLeftOut() throws IOException {
    assertThat(all(csv("a,b\n1,,3\n", format(false, true, CsvFormat.Grace.STOP))))
        .containsExactly(document("{a: 1, field2: 3}"));
  }

  @Test
  void columnsCanHaveTypes() throws IOException {
    String header =
        "s.string(),i.int32(),l.int64(),d.double(),m.decimal(),t.boolean(),"
            + "x.binary(hex),y.binary(base32),g.date(2006-01-02 15:04:05),"
            + "w.date_ms(yyyy-MM-dd),o.date_oracle(YYYY-MM-DD HH24:MI)";
    String row =
        "007,1,2,3,4.50,TRUE,ff00,74AA====,2020-02-03 04:05:06,1970-01-02,1970-01-01 00:01";
    assertThat(all(csv(header + "\n" + row, format(true, false, CsvFormat.Grace.STOP))))
        .containsExactly(
            document(
                """
                {s: '007', i: 1, l: {$numberLong: '2'}, d: 3.0, m: {$numberDecimal: '4.50'},
                 t: true, x: {$binary: {base64: '/wA=', subType: '00'}},
                 y: {$binary: {base64: '/wA=', subType: '00'}},
                 g: {$date: '2020-02-03T04:05:06Z'}, w: {$date: '1970-01-02T00:00:00Z'},
                 o: {$date: '1970-01-01T00:01:00Z'}}
                """));
  }

  @Test
  void aValueOfAnotherTypeGetsTheGraceThatWasAskedFor() throws IOException {
    String text = "a.int32(),b.string()\nx,y\n";
    assertThatThrownBy(() -> all(csv(text, format(true, false, CsvFormat.Grace.STOP))))
        .hasMessageStartingWith("a.csv, line 2: 'x' in column a is no int32");
    assertThat(all(csv(text, format(true, false, CsvFormat.Grace.SKIP_FIELD))))
        .containsExactly(document("{b: 'y'}"));
    assertThat(all(csv(text, format(true, false, CsvFormat.Grace.AUTO_CAST))))
        .containsExactly(document("{a: 'x', b: 'y'}"));
  }

  @Test
  void columnsThatCannotBeInOneDocumentAreRefused() {
    for (String header : List.of("a,a.b", "a,a", "a..b", "$a", "a,", ".a")) {
      assertThatThrownBy(() -> all(csv(header + "\n1,2\n", HEADER)))
          .isInstanceOf(TransferException.class);
    }
    assertThatThrownBy(() -> all(csv("a.int()\n1", format(true, false, CsvFormat.Grace.STOP))))
        .hasMessageContaining("unknown type");
  }

  @Test
  void wrongQuotesAreABadRecordAndAMissingOneIsTheEnd() throws IOException {
    DelimitedRecords records = csv("a,b\nx\"y,2\n\"p\"q,3\nz,4\n", HEADER);
    assertThatThrownBy(() -> records.next().document())
        .isInstanceOf(BadRecordException.class)
        .hasMessageStartingWith("a.csv, line 2: a quote inside a field");
    assertThatThrownBy(() -> records.next().document())
        .hasMessageStartingWith("a.csv, line 3: text after a closing quote");
    assertThat(records.next().document().toBsonDocument()).isEqualTo(document("{a: 'z', b: 4}"));
    assertThatThrownBy(() -> all(csv("a,b\n1,2\n\"x,2\n3,4\n", HEADER)))
        .isInstanceOf(TransferException.class)
        .hasMessageStartingWith("a.csv: the row that begins in line 3 has a field without its");
  }

  @Test
  void whatIsNoUtf8IsRefused() {
    var in = new ByteArrayInputStream(new byte[] {'a', '\n', (byte) 0xff, '\n'});
    assertThatThrownBy(
            () -> all(new DelimitedRecords(new DelimitedRows(in, "a.csv", ','), "a.csv", HEADER)))
        .hasMessageContaining("UTF-8");
  }

  @Test
  void tabsSeparateWithoutQuotes() throws IOException {
    var rows = new DelimitedRows(stream("a\tb\n\"x\t\"y\r\n"), "a.tsv", '\t');
    assertThat(all(new DelimitedRecords(rows, "a.tsv", HEADER)))
        .containsExactly(document("{a: '\"x', b: '\"y'}"));
  }

  @Test
  void stringsThatAreWrittenAreReadAgain() throws IOException {
    var documents =
        List.of(
            document("{a: 'x,y', b: {c: 'p\"q'}}"),
            document("{a: '', b: {c: ' \\n\\r'}}"),
            document("{a: 'ü', b: {c: '\"'}}"));
    var out = new ByteArrayOutputStream();
    try (var writer = new DelimitedWriter(out, ',', List.of("a", "b.c"), true)) {
      for (BsonDocument each : documents) {
        writer.write(new RawBsonDocument(each, new BsonDocumentCodec()));
      }
    }
    var rows = new DelimitedRows(new ByteArrayInputStream(out.toByteArray()), "a.csv", ',');
    assertThat(all(new DelimitedRecords(rows, "a.csv", HEADER))).isEqualTo(documents);
  }

  @Test
  void valuesAreWrittenAsMongoexportDoes() throws IOException {
    var out = new ByteArrayOutputStream();
    var fields = List.of("_id", "d", "n", "x", "a.1", "o", "missing", "t");
    try (var writer = new DelimitedWriter(out, ',', fields, true)) {
      BsonDocument each =
          document(
              "{_id: {$oid: '5f0000000000000000000001'}, d: {$date: 0}, n: 2.0, x: 0.5, a: [1, 2],"
                  + " o: {p: [1]}, t: true}");
      writer.write(new RawBsonDocument(each, new BsonDocumentCodec()));
    }
    assertThat(out)
        .hasToString(
            "_id,d,n,x,a.1,o,missing,t\n"
                + "ObjectId(5f0000000000000000000001),1970-01-01T00:00:00.000Z,2,0.5,2,"
                + "\"{\"\"p\"\":[1]}\",,true\n");
  }
}
