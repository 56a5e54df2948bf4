package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.RestingDocument;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.FieldNames;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $unwind}: one document for each element of an array, {@code {a: [1, 2]} -> {a: 1}, {a:
 * 2}}.
 *
 * @param index the path that gets the element's position, or null
 * @param isKept whether documents without elements stay
 */
record UnwindStage(List<String> path, @Nullable List<String> index, boolean isKept)
    implements Stage {
  private static final BsonValue NO_INDEX = BsonNull.VALUE;

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    BsonValue path = argument;
    String index = null;
    boolean isKept = false;
    if (argument.isDocument()) {
      path = null;
      for (var option : argument.asDocument().entrySet()) {
        BsonValue value = option.getValue();
        switch (option.getKey()) {
          case "path" -> path = requirePathText(value);
          case "preserveNullAndEmptyArrays" -> isKept = parseFlag(value);
          case "includeArrayIndex" -> index = parseIndex(value);
          default ->
              throw new CommandException(
                  ErrorCode.LOCATION_28811,
                  "unrecognized option to $unwind stage: " + option.getKey());
        }
      }
    } else if (!argument.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_15981,
          "expected either a string or an object as specification for $unwind stage, got "
              + BsonText.typeName(argument));
    }
    return List.of(
        new UnwindStage(parsePath(path), index == null ? null : FieldNames.split(index), isKept));
  }

  private static BsonValue requirePathText(BsonValue value) {
    if (!value.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_28808,
          "expected a string as the path for $unwind stage, got " + BsonText.typeName(value));
    }
    return value;
  }

  private static boolean parseFlag(BsonValue value) {
    if (!value.isBoolean()) {
      throw new CommandException(
          ErrorCode.LOCATION_28809,
          "expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got "
              + BsonText.typeName(value));
    }
    return value.asBoolean().getValue();
  }

  private static String parseIndex(BsonValue value) {
    if (!value.isString() || value.asString().getValue().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_28810,
          "expected a non-empty string for the includeArrayIndex  option to $unwind stage, got "
              + BsonText.typeName(value));
    }
    String index = value.asString().getValue();
    if (index.startsWith("$")) {
      throw new CommandException(
          ErrorCode.LOCATION_28822,
          "includeArrayIndex option to $unwind stage should not be prefixed with a '$': " + index);
    }
    return index;
  }

  private static List<String> parsePath(@Nullable BsonValue path) {
    String text = path == null ? "" : path.asString().getValue();
    if (text.isEmpty()) {
      throw new CommandException(ErrorCode.LOCATION_28812, "no path specified to $unwind stage");
    }
    if (!text.startsWith("$")) {
      throw new CommandException(
          ErrorCode.LOCATION_28818,
          "path option to $unwind stage should be prefixed with a '$': " + text);
    }
    return FieldNames.split(text.substring(1));
  }

  @Override
  public String name() {
    return "$unwind";
  }

  @Override
  public BsonDocument specification() {
    var options = new BsonDocument("path", new BsonString("$" + String.join(".", path)));
    if (isKept) {
      options.append("preserveNullAndEmptyArrays", org.bson.BsonBoolean.TRUE);
    }
    if (index != null) {
      options.append("includeArrayIndex", new BsonString(String.join(".", index)));
    }
    return new BsonDocument("$unwind", options);
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    dependencies.addShape(String.join(".", path));
    return false;
  }

  @Override
  public Set<String> generatedFields() {
    return index != null && index.size() == 1 ? Set.copyOf(index) : Set.of();
  }

  @Override
  public boolean preserves(String path) {
    return !Documents.overlap(path, String.join(".", this.path))
        && (index == null || !Documents.overlap(path, String.join(".", index)));
  }

  @Override
  public boolean isPerDocument() {
    return true;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      private final RestingDocument current = new RestingDocument(name(), run.spill());
      private int size;
      private int next;

      @Override
      public @Nullable BsonDocument next() {
        for (; ; ) {
          if (next < size) {
            return element(current.get(), next++);
          }
          current.set(null);
          size = 0;
          BsonDocument document = input.next();
          if (document == null) {
            return null;
          }
          BsonValue value = Documents.at(document, path);
          if (value instanceof BsonArray array && !array.isEmpty()) {
            current.set(document);
            size = array.size();
            next = 0;
            continue;
          }
          BsonDocument single = single(document, value);
          if (single != null) {
            return single;
          }
        }
      }

      @Override
      public void close() {
        current.close();
        input.close();
      }
    };
  }

  private BsonDocument element(BsonDocument document, int place) {
    BsonValue element = Documents.at(document, path).asArray().get(place);
    return withIndex(Documents.with(document, path, element), new BsonInt64(place));
  }

  /** What becomes of a document without an array of elements; null if it is left out. */
  private @Nullable BsonDocument single(BsonDocument document, @Nullable BsonValue value) {
    boolean isNothing =
        value == null
            || value.isNull()
            || value.isArray()
            || value.getBsonType() == org.bson.BsonType.UNDEFINED;
    if (!isNothing) {
      return withIndex(document, NO_INDEX);
    }
    if (!isKept) {
      return null;
    }
    // An empty array disappears; null stays null.
    boolean isEmptyArray = value != null && value.isArray();
    return withIndex(isEmptyArray ? Documents.with(document, path, null) : document, NO_INDEX);
  }

  private BsonDocument withIndex(BsonDocument document, BsonValue position) {
    return index == null ? document : Documents.with(document, index, position);
  }
}
