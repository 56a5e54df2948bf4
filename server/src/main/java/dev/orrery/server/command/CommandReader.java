package dev.orrery.server.command;

import static dev.orrery.server.command.FieldErrors.BOOL_OR_NUMBERS;
import static dev.orrery.server.command.FieldErrors.NUMBERS;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a command (or of a document inside it), each asked for by name and type. A value of
 * the wrong type is MongoDB's TypeMismatch; {@link #finish()} refuses every field nobody asked for.
 * A field that is null counts as missing wherever a type is asked for, as it does in MongoDB.
 */
public final class CommandReader {
  private static final boolean[] NONE = {};

  private String path;
  private String command;
  private String database;
  private final List<RequestSequence> sequences;
  private final boolean[] usedSequences;
  private final FieldRecorder recorder;
  private final CommandFields fields;

  private CommandReader(
      String path,
      String database,
      List<RequestSequence> sequences,
      CommandFields fields,
      FieldRecorder recorder) {
    this.path = path;
    this.command = path;
    this.database = database;
    this.sequences = sequences;
    this.usedSequences = sequences.isEmpty() ? NONE : new boolean[sequences.size()];
    this.fields = fields;
    this.recorder = recorder;
  }

  /** The body of a command; its first field is found under the command's name, also by alias. */
  public static CommandReader ofCommand(Command.Spec spec, String database, Request request) {
    CommandFields fields = CommandFields.of(request.body(), null);
    fields.beginWith(spec.name());
    return new CommandReader(spec.fieldsOf(), database, request.sequences(), fields, null)
        .named(spec);
  }

  private CommandReader named(Command.Spec spec) {
    command = spec.name();
    return this;
  }

  /** The beginning of a request whose command is to be found; {@code names} has the usual names. */
  public static CommandReader ofRequest(Request request, NameCache names) {
    CommandFields fields = CommandFields.beginningOf(request.body(), names);
    return new CommandReader("", "", request.sequences(), fields, null);
  }

  /** Reads on: the body of that command, on the database that the request names. */
  public CommandReader asCommand(Command.Spec spec, Request request) {
    fields.readRest();
    path = spec.fieldsOf();
    database = request.database(fields.peek("$db"), fields.known());
    fields.beginWith(spec.name());
    return named(spec);
  }

  /** {@code path} is how messages call the document, such as {@code create.timeseries}. */
  public static CommandReader of(String path, RawDocument document) {
    return new CommandReader(path, "", List.of(), CommandFields.of(document, null), null);
  }

  /** A reader of nothing that tells {@code recorder} what a command asks for. */
  public static CommandReader recording(Command.Spec spec, FieldRecorder recorder) {
    return recording(spec, recorder, RawDocument.EMPTY);
  }

  /** The same for a command that reads on only if it finds some fields, such as those. */
  public static CommandReader recording(
      Command.Spec spec, FieldRecorder recorder, RawDocument found) {
    CommandFields fields = CommandFields.of(found, null);
    return new CommandReader(spec.fieldsOf(), "database", List.of(), fields, recorder).named(spec);
  }

  /** The name of the first field, which is the command; empty for an empty document. */
  String commandName() {
    return fields.size() == 0 ? "" : fields.name(0);
  }

  /** The database that the command runs on. */
  public String database() {
    return database;
  }

  public int size() {
    return fields.size();
  }

  public String nameAt(int index) {
    return fields.name(index);
  }

  public RawValue valueAt(int index) {
    return fields.value(index);
  }

  public boolean isUsed(int index) {
    return fields.isUsed(index);
  }

  /** The text of a value that is a string. */
  public String text(RawValue string) {
    NameCache known = fields.known();
    return known == null ? string.asString() : known.text(string);
  }

  /** The text of a field that is a string, else null; the field is still to be asked for. */
  @Nullable String peekText(@Nullable String name) {
    RawValue value = name == null ? null : fields.peek(name);
    return value != null && value.type() == RawTypes.STRING ? text(value) : null;
  }

  public boolean hasSequences() {
    return !sequences.isEmpty();
  }

  /** How messages call this document. */
  public String path() {
    return path;
  }

  public boolean has(String name) {
    return find(name) != null;
  }

  /** The value as it stands, of any type (also null), or null when it is missing. */
  public RawValue value(String name) {
    return find(name);
  }

  /** The value as an object of the bson library, of any type, or null when it is missing. */
  public BsonValue bsonValue(String name) {
    RawValue value = find(name);
    return value == null ? null : value.toBsonValue();
  }

  /** The collection that the command's own field names. */
  public String collection() {
    return collection(ErrorCode.BAD_VALUE);
  }

  /** The same; {@code wrongType} is the code of a value that is no string, which varies. */
  public String collection(ErrorCode wrongType) {
    RawValue value = find(command);
    if (recorder != null) {
      return "collection";
    }
    if (value == null) {
      throw FieldErrors.missing(pathOf(command));
    }
    if (value.type() != RawTypes.STRING) {
      throw new CommandException(
          wrongType, "collection name has invalid type " + BsonTypeNames.of(value.type()));
    }
    String collection = text(value);
    Names.requireNamespace(database, collection);
    return collection;
  }

  /** A collection to read from, whose name has no {@code $}. */
  public String readableCollection(ErrorCode wrongType) {
    String collection = collection(wrongType);
    if (collection.indexOf('$') >= 0) {
      // MongoDB leaves the quote open.
      throw FieldErrors.invalidNamespace(
          "Invalid collection name specified '" + database + "." + collection);
    }
    return collection;
  }

  /** The document, or null when it is missing. */
  public RawDocument rawDocument(String name) {
    RawValue value = typed(name, RawTypes.DOCUMENT, "object");
    return value == null ? null : value.asDocument();
  }

  /** The document decoded; empty when it is missing. */
  public BsonDocument document(String name) {
    RawDocument raw = rawDocument(name);
    return raw == null ? new BsonDocument() : raw.toBsonDocument();
  }

  public RawDocument requireRawDocument(String name) {
    RawDocument document = rawDocument(name);
    return document == null ? orMissing(name, RawDocument.EMPTY) : document;
  }

  /**
   * The document, or null when it is missing; null is refused. MongoDB checks a few fields of find
   * (filter, sort, projection, collation, min, max, hint) by hand, in words of their own.
   */
  public RawDocument ownedDocument(String name) {
    RawValue value = find(name);
    if (value == null) {
      return null;
    }
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH, "Expected field " + name + "to be of type object");
    }
    return value.asDocument();
  }

  /** A reader of the document in that field, or null when it is missing. */
  public CommandReader object(String name) {
    RawDocument document = rawDocument(name);
    if (recorder != null) {
      CommandFields nothing = CommandFields.of(RawDocument.EMPTY, null);
      return new CommandReader(pathOf(name), database, List.of(), nothing, recorder);
    }
    return document == null ? null : element(name, document);
  }

  /** A reader of one of the documents in an array field, called as MongoDB calls it. */
  public CommandReader element(String name, RawDocument document) {
    CommandFields inner = CommandFields.of(document, fields.known());
    return new CommandReader(pathOf(name), database, List.of(), inner, null);
  }

  /** The documents of an array or a document sequence of that name; none when it is missing. */
  public List<RawDocument> documents(String name) {
    for (int i = 0; i < sequences.size(); i++) {
      if (sequences.get(i).name().equals(name)) {
        if (find(name) != null || usedSequences[i]) {
          throw FieldErrors.duplicate(pathOf(name));
        }
        usedSequences[i] = true;
        return sequences.get(i).documents();
      }
    }
    List<RawValue> elements = array(name);
    var documents = new ArrayList<RawDocument>(elements.size());
    for (RawValue element : elements) {
      if (!element.isDocument()) {
        throw FieldErrors.wrongType(
            pathOf(name) + "." + documents.size(), element.type(), "object");
      }
      documents.add(element.asDocument());
    }
    return documents;
  }

  public List<RawDocument> requireDocuments(String name) {
    requirePresent(name);
    return documents(name);
  }

  /** The values of an array; none when it is missing. */
  public List<RawValue> array(String name) {
    RawValue value = typed(name, RawTypes.ARRAY, "array");
    return value == null ? List.of() : value.asDocument().toValues();
  }

  public List<RawValue> requireArray(String name) {
    requirePresent(name);
    return array(name);
  }

  /** The text, or null when it is missing. */
  public String string(String name) {
    RawValue value = typed(name, RawTypes.STRING, "string");
    return value == null ? null : value.asString();
  }

  public String requireString(String name) {
    String value = string(name);
    return value == null ? orMissing(name, "") : value;
  }

  /** One of the allowed texts. */
  public String oneOf(String name, List<String> allowed, String fallback) {
    String value = string(name);
    if (value == null) {
      return fallback;
    }
    if (!allowed.contains(value)) {
      throw FieldErrors.notOneOf(pathOf(name), value);
    }
    return value;
  }

  /** True or false and nothing else. */
  public boolean bool(String name, boolean fallback) {
    RawValue value = typed(name, RawTypes.BOOLEAN, "bool");
    return value == null ? fallback : value.asBoolean();
  }

  /** True or false, or a number that is zero or not. */
  public boolean safeBool(String name, boolean fallback) {
    RawValue value = present(name);
    if (value != null && !RawNumbers.isBoolOrNumber(value)) {
      throw FieldErrors.wrongType(pathOf(name), value.type(), BOOL_OR_NUMBERS);
    }
    return value == null ? fallback : RawNumbers.isTrue(value);
  }

  /** The same in the words that MongoDB has for the switches of find. */
  public boolean optionalBool(String name, boolean fallback) {
    RawValue value = present(name);
    if (value != null && !RawNumbers.isBoolOrNumber(value)) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "Field '%s' should be a boolean value, but found: %s"
              .formatted(name, BsonTypeNames.of(value.type())));
    }
    return value == null ? fallback : RawNumbers.isTrue(value);
  }

  /** A number of any type, cut to a long. */
  public long int64(String name, long fallback) {
    RawValue value = present(name);
    if (value == null) {
      return fallback;
    }
    if (!value.isNumber()) {
      throw FieldErrors.wrongType(pathOf(name), value.type(), NUMBERS);
    }
    return RawNumbers.toLong(value);
  }

  /** A 64-bit integer and no other number, such as a cursor id. */
  public long requireExactInt64(String name) {
    RawValue value = typed(name, RawTypes.INT64, "long");
    return value == null ? orMissing(name, 0L) : value.asInt64();
  }

  public long nonNegative(String name, long fallback) {
    return atLeast(name, 0, fallback);
  }

  public long atLeast(String name, long least, long fallback) {
    long value = int64(name, fallback);
    if (value < least && value != fallback) {
      throw FieldErrors.outOfRange(name, ">= " + least, value);
    }
    return value;
  }

  /** Accepts fields that change nothing. */
  public void ignore(String... fields) {
    for (String field : fields) {
      mark(field, FieldRecorder.Use.IGNORED);
    }
  }

  /** Refuses fields that we know and lack: an error beats a wrong answer. */
  public void reject(String... fields) {
    for (String field : fields) {
      if (mark(field, FieldRecorder.Use.REFUSED) != null) {
        throw new CommandException(
            ErrorCode.NOT_IMPLEMENTED, "field '" + pathOf(field) + "' is not implemented yet");
      }
    }
  }

  /** The fields that nobody asked for yet, in order. */
  List<String> remaining() {
    return fields.unused();
  }

  /** Takes all fields that nobody asked for: for commands whose field names are free. */
  public List<String> takeRest() {
    List<String> rest = remaining();
    if (recorder != null) {
      recorder.field(pathOf("*"), FieldRecorder.Use.USED);
    }
    fields.useAll();
    return rest;
  }

  /** Accepts every field, whatever it is called; {@code known} are those that clients send. */
  public void ignoreRest(String... known) {
    ignore(known);
    if (recorder != null) {
      recorder.field(pathOf("*"), FieldRecorder.Use.IGNORED);
    }
    fields.useAll();
  }

  /** Ends the parsing: a field nobody asked for is an error. */
  public void finish() {
    if (recorder != null) {
      recorder.finished(path);
      return;
    }
    for (int i = 0; i < fields.size(); i++) {
      if (!fields.isUsed(i)) {
        throw FieldErrors.unknown(pathOf(fields.name(i)));
      }
    }
    for (int i = 0; i < sequences.size(); i++) {
      if (!usedSequences[i]) {
        throw FieldErrors.unknown(pathOf(sequences.get(i).name()));
      }
    }
  }

  static String join(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  public String pathOf(String name) {
    return join(path, name);
  }

  private RawValue find(String name) {
    return mark(name, FieldRecorder.Use.USED);
  }

  private RawValue mark(String name, FieldRecorder.Use use) {
    if (recorder != null) {
      recorder.field(pathOf(name), use);
      return fields.peek(name);
    }
    return fields.use(name, path);
  }

  /** The value unless it is missing, null or undefined. */
  private RawValue present(String name) {
    RawValue value = find(name);
    boolean isNothing =
        value == null || value.type() == RawTypes.NULL || value.type() == RawTypes.UNDEFINED;
    return isNothing ? null : value;
  }

  private RawValue typed(String name, byte type, String expected) {
    RawValue value = present(name);
    if (value != null && value.type() != type) {
      throw FieldErrors.wrongType(pathOf(name), value.type(), expected);
    }
    return value;
  }

  private void requirePresent(String name) {
    for (RequestSequence sequence : sequences) {
      if (sequence.name().equals(name)) {
        return;
      }
    }
    if (present(name) == null) {
      orMissing(name, null);
    }
  }

  private <T> T orMissing(String name, T whenRecording) {
    if (recorder == null) {
      throw FieldErrors.missing(pathOf(name));
    }
    return whenRecording;
  }
}
