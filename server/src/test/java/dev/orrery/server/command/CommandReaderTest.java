package dev.orrery.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class CommandReaderTest {
  private static CommandReader reader(String json) {
    return CommandReader.of("test", RawDocument.of(BsonDocument.parse(json)));
  }

  private static String error(String json, Consumer<CommandReader> parse) {
    var error = catchThrowableOfType(CommandException.class, () -> parse.accept(reader(json)));
    return error.code().number() + ": " + error.getMessage();
  }

  @Test
  void typedFieldsAreReadOrFallBack() {
    CommandReader body =
        reader(
            "{s: 'x', b: true, i: 3, d: {a: 1}, l: [1, 2], n: null, t: {$numberLong: '9'},"
                + " f: 2.9}");
    assertThat(body.string("s")).isEqualTo("x");
    assertThat(body.bool("b", false)).isTrue();
    assertThat(body.int64("i", 0)).isEqualTo(3);
    assertThat(body.document("d")).isEqualTo(BsonDocument.parse("{a: 1}"));
    assertThat(body.array("l")).hasSize(2);
    assertThat(body.requireExactInt64("t")).isEqualTo(9);
    assertThat(body.int64("f", 0)).isEqualTo(2);
    assertThat(body.string("n")).isNull();
    assertThat(body.bool("n", true)).isTrue();
    assertThat(body.string("missing")).isNull();
    assertThat(body.document("missing")).isEmpty();
    assertThat(body.array("missing")).isEmpty();
    body.finish();
  }

  @Test
  void wrongTypesAreNamedInMongoDbsWords() {
    assertThat(error("{filter: 'x'}", body -> body.document("filter")))
        .isEqualTo(
            "14: BSON field 'test.filter' is the wrong type 'string', expected type 'object'");
    assertThat(error("{ordered: 0}", body -> body.bool("ordered", true)))
        .isEqualTo("14: BSON field 'test.ordered' is the wrong type 'int', expected type 'bool'");
    assertThat(error("{size: 'a'}", body -> body.int64("size", 0)))
        .isEqualTo(
            "14: BSON field 'test.size' is the wrong type 'string', expected types '[long, int,"
                + " decimal, double']");
    assertThat(error("{capped: 'x'}", body -> body.safeBool("capped", false)))
        .isEqualTo(
            "14: BSON field 'test.capped' is the wrong type 'string', expected types '[bool, long,"
                + " int, decimal, double']");
    assertThat(error("{singleBatch: 'x'}", body -> body.optionalBool("singleBatch", false)))
        .isEqualTo("14: Field 'singleBatch' should be a boolean value, but found: string");
    assertThat(error("{filter: null}", body -> body.ownedDocument("filter")))
        .isEqualTo("14: Expected field filterto be of type object");
    assertThat(error("{l: [{}, 1]}", body -> body.documents("l")))
        .isEqualTo("14: BSON field 'test.l.1' is the wrong type 'int', expected type 'object'");
    assertThat(error("{getMore: 'x'}", body -> body.requireExactInt64("getMore")))
        .isEqualTo(
            "14: BSON field 'test.getMore' is the wrong type 'string', expected type 'long'");
  }

  @Test
  void missingDoubledAndUnknownFieldsAreErrors() {
    assertThat(error("{}", body -> body.requireDocuments("documents")))
        .isEqualTo("40414: BSON field 'test.documents' is missing but a required field");
    assertThat(error("{key: null}", body -> body.requireString("key")))
        .isEqualTo("40414: BSON field 'test.key' is missing but a required field");
    assertThat(error("{foo: 1}", CommandReader::finish))
        .isEqualTo("40415: BSON field 'test.foo' is an unknown field.");
    byte[] twice = {19, 0, 0, 0, 0x10, 'a', 0, 1, 0, 0, 0, 0x10, 'a', 0, 2, 0, 0, 0, 0};
    var error =
        catchThrowableOfType(
            CommandException.class,
            () -> CommandReader.of("test", RawDocument.wrap(twice)).int64("a", 0));
    assertThat(error.code()).isEqualTo(ErrorCode.LOCATION_40413);
    assertThat(error).hasMessage("BSON field 'test.a' is a duplicate field");
  }

  @Test
  void valuesOutsideOfTheirRangeAreErrors() {
    assertThat(error("{skip: -1}", body -> body.nonNegative("skip", 0)))
        .isEqualTo("51024: BSON field 'skip' value must be >= 0, actual value '-1'");
    assertThat(error("{size: -1}", body -> body.atLeast("size", 1, 0)))
        .isEqualTo("51024: BSON field 'size' value must be >= 1, actual value '-1'");
    assertThat(error("{level: 'x'}", body -> body.oneOf("level", List.of("off"), "off")))
        .isEqualTo("2: Enumeration value 'x' for field 'test.level' is not a valid value.");
    assertThat(error("{timeseries: {}}", body -> body.object("timeseries").requireString("t")))
        .isEqualTo("40414: BSON field 'test.timeseries.t' is missing but a required field");
  }

  @Test
  void numbersOfAnyTypeAreCutToALong() {
    assertThat(reader("{n: {$numberDecimal: '7.4'}}").int64("n", 0)).isEqualTo(7);
    assertThat(reader("{n: {$numberDecimal: '-0'}}").int64("n", 1)).isZero();
    assertThat(reader("{n: {$numberDecimal: 'NaN'}}").int64("n", 1)).isZero();
    assertThat(reader("{n: {$numberDecimal: '1E+40'}}").int64("n", 1)).isEqualTo(Long.MAX_VALUE);
    assertThat(reader("{n: {$numberDecimal: '-Infinity'}}").int64("n", 1))
        .isEqualTo(Long.MIN_VALUE);
    assertThat(reader("{n: {$numberDouble: 'NaN'}}").int64("n", 1)).isZero();
    assertThat(reader("{n: 1e30}").int64("n", 1)).isEqualTo(Long.MAX_VALUE);
    assertThat(reader("{n: 0.5}").safeBool("n", false)).isTrue();
    assertThat(reader("{n: {$numberDecimal: '0'}}").safeBool("n", true)).isFalse();
  }

  @Test
  void ignoredFieldsPassAndRejectedOnesDoNot() {
    CommandReader body = reader("{a: 1, b: 2}");
    body.ignore("a", "c");
    assertThat(body.remaining()).containsExactly("b");
    assertThat(error("{collation: {}}", reader -> reader.reject("collation")))
        .isEqualTo("238: field 'test.collation' is not implemented yet");
    body.takeRest();
    body.finish();
  }

  @Test
  void collectionNamesAreChecked() {
    var cases =
        List.of(
            List.of("{find: 1}", "2: collection name has invalid type int"),
            List.of("{find: []}", "2: collection name has invalid type array"),
            List.of("{find: ''}", "73: Invalid namespace specified 'db.'"),
            List.of("{find: '.a'}", "73: Collection names cannot start with '.': .a"),
            List.of("{find: 'a\\u0000b'}", "73: namespaces cannot have embedded null characters"),
            List.of("{find: 'a$b'}", "73: Invalid collection name specified 'db.a$b"));
    for (List<String> example : cases) {
      var error =
          catchThrowableOfType(
              CommandException.class,
              () -> command(example.get(0)).readableCollection(ErrorCode.BAD_VALUE));
      assertThat(error.code().number() + ": " + error.getMessage()).isEqualTo(example.get(1));
    }
    assertThat(command("{find: 'a.b'}").collection()).isEqualTo("a.b");
    assertThat(command("{FIND: 'by alias'}").collection()).isEqualTo("by alias");
  }

  @Test
  void documentsComeFromTheBodyOrASequence() {
    RawDocument document = RawDocument.of(BsonDocument.parse("{_id: 1}"));
    var sequence = new RequestSequence("documents", List.of(document));
    CommandReader body = command("{insert: 'c'}", sequence);
    assertThat(body.requireDocuments("documents")).containsExactly(document);
    body.finish();
    assertThat(command("{insert: 'c', documents: [{_id: 1}]}").requireDocuments("documents"))
        .containsExactly(document);
    var both =
        catchThrowableOfType(
            CommandException.class,
            () -> command("{insert: 'c', documents: []}", sequence).documents("documents"));
    assertThat(both.code()).isEqualTo(ErrorCode.LOCATION_40413);
    var unknown =
        catchThrowableOfType(
            CommandException.class, () -> command("{insert: 'c'}", sequence).finish());
    assertThat(unknown).hasMessage("BSON field 'find.documents' is an unknown field.");
  }

  /** A request may be too large; that is found out between the two. */
  @Test
  void readsTheFirstFieldOfARequestUntilItsCommandIsKnown() {
    RawDocument body = RawDocument.of(BsonDocument.parse("{count: 'c', a: 1, b: 2, $db: 'd'}"));
    var request = Request.message(new ClientConnection(1, "", ""), body, List.of());
    CommandReader reader = CommandReader.ofRequest(request, new NameCache());
    assertThat(reader.commandName()).isEqualTo("count");
    assertThat(reader.size()).isEqualTo(1);
    reader.asCommand(Command.Spec.of("count", Command.Access.READ), request);
    assertThat(reader.size()).isEqualTo(4);
    assertThat(reader.database()).isEqualTo("d");
    assertThat(reader.remaining()).containsExactly("a", "b", "$db");
  }

  @Test
  void aRequestWithoutFieldsHasNoCommand() {
    var request = Request.message(new ClientConnection(1, "", ""), RawDocument.EMPTY, List.of());
    assertThat(CommandReader.ofRequest(request, new NameCache()).commandName()).isEmpty();
  }

  private static CommandReader command(String json, RequestSequence... sequences) {
    RawDocument body = RawDocument.of(BsonDocument.parse(json));
    return CommandReader.ofCommand(
        Command.Spec.of("find", Command.Access.READ),
        "db",
        Request.message(new ClientConnection(1, "", ""), body, List.of(sequences)));
  }
}
