package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.FieldNames;
import dev.orrery.language.expression.VariableNames;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;

/** Reads the specification of $merge. */
final class MergeParser {
  private static final List<String> FIELDS =
      List.of("into", "on", "let", "whenMatched", "whenNotMatched", "targetCollectionVersion");
  private static final Set<String> MATCHED = Set.of("replace", "merge", "keepExisting", "fail");
  private static final Set<String> NOT_MATCHED = Set.of("insert", "discard", "fail");

  private final PipelineContext context;
  private final BsonDocument specification;

  /** Whether only the name of a collection was given. */
  private final boolean isShort;

  private MergeParser(PipelineContext context, BsonDocument specification, boolean isShort) {
    this.context = context;
    this.isShort = isShort;
    this.specification = specification;
  }

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isString() && !argument.isDocument()) {
      throw StageFailures.typeMismatch(
          "$merge requires a string or object argument, but found " + BsonText.typeName(argument));
    }
    BsonDocument specification =
        argument.isDocument() ? argument.asDocument() : new BsonDocument("into", argument);
    StageFailures.requireKnown("$merge", specification, FIELDS);
    return List.of(new MergeParser(context, specification, argument.isString()).stage());
  }

  private Stage stage() {
    Namespace target = target();
    String matched = matched();
    String notMatched = notMatched();
    requireSupported(matched, notMatched);
    BsonDocument let = let(matched);
    List<String> on = on(target);
    if (specification.containsKey("on")) {
      requireUnique(target, on);
    }
    Map<Integer, Expression> variables = new LinkedHashMap<>();
    Pipeline pipeline = null;
    if (matched.equals("pipeline")) {
      var names = new ArrayList<>(let.keySet());
      names.forEach(VariableNames::requireWritable);
      PipelineContext inner = context.inner(target, names);
      let.forEach(
          (name, value) ->
              variables.put(
                  inner.expressions().slot(name), Expressions.parse(value, context.expressions())));
      pipeline =
          Pipeline.parseInner(
                  Pipeline.documents("whenMatched", specification.get("whenMatched")), inner)
              .optimize();
    }
    return new MergeStage(
        target,
        on,
        new MergeStage.Modes(matched, notMatched, context.collation()),
        new MergeStage.Change(variables, pipeline),
        new BsonDocument("$merge", specification));
  }

  private Namespace target() {
    BsonValue into = specification.get("into");
    if (into == null) {
      throw StageFailures.missing("$merge.into");
    }
    String database = context.database();
    String collection;
    if (into.isString()) {
      collection = into.asString().getValue();
      if (collection.isEmpty() && !isShort) {
        throw new CommandException(
            ErrorCode.LOCATION_5786800, "$merge 'into' field cannot be an empty string");
      }
    } else if (into.isDocument()) {
      BsonDocument names = into.asDocument();
      StageFailures.requireKnown("into", names, List.of("db", "coll"));
      BsonValue db = StageFailures.typed("into", names, "db", BsonType.STRING);
      BsonValue coll = StageFailures.typed("into", names, "coll", BsonType.STRING);
      database = db == null ? database : db.asString().getValue();
      collection = coll == null ? "" : coll.asString().getValue();
      if (collection.isEmpty()) {
        throw new CommandException(
            ErrorCode.LOCATION_5786801,
            "$merge 'into' field must specify a 'coll' that is not empty, null or undefined");
      }
    } else {
      throw new CommandException(
          ErrorCode.LOCATION_51178,
          "$merge 'into' field  must be either a string or an object, but found "
              + BsonText.typeName(into));
    }
    return TargetName.MERGE.require(database, collection);
  }

  private String matched() {
    BsonValue value = specification.get("whenMatched");
    if (value == null) {
      return "merge";
    }
    if (value.isArray()) {
      return "pipeline";
    }
    if (!value.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_51191,
          "$merge 'whenMatched' field  must be either a string or an array, but found "
              + BsonText.typeName(value));
    }
    return requireOneOf("whenMatched", value.asString().getValue(), MATCHED);
  }

  private String notMatched() {
    BsonValue value =
        StageFailures.typed("$merge", specification, "whenNotMatched", BsonType.STRING);
    return value == null
        ? "insert"
        : requireOneOf("$merge.whenNotMatched", value.asString().getValue(), NOT_MATCHED);
  }

  private static String requireOneOf(String field, String value, Set<String> known) {
    if (!known.contains(value)) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Enumeration value '" + value + "' for field '" + field + "' is not a valid value.");
    }
    return value;
  }

  private static void requireSupported(String matched, String notMatched) {
    boolean isInsertOnly = matched.equals("keepExisting") || matched.equals("fail");
    if (isInsertOnly && !notMatched.equals("insert")) {
      throw new CommandException(
          ErrorCode.LOCATION_51181,
          "Combination of $merge modes 'whenMatched: "
              + matched
              + "' and 'whenNotMatched: "
              + notMatched
              + "' is not supported");
    }
  }

  private BsonDocument let(String matched) {
    BsonValue let = StageFailures.typed("$merge", specification, "let", BsonType.DOCUMENT);
    var root = new BsonString("$$ROOT");
    if (!matched.equals("pipeline")) {
      if (let != null) {
        throw new CommandException(
            ErrorCode.LOCATION_51199,
            "Cannot use 'let' variables with 'whenMatched: " + matched + "' mode");
      }
      return new BsonDocument();
    }
    if (let == null) {
      return new BsonDocument("new", root);
    }
    BsonValue own = let.asDocument().get("new");
    if (own != null && !own.equals(root)) {
      throw new CommandException(
          ErrorCode.LOCATION_51273,
          "'let' may not define a value for the reserved 'new' variable other than '$$ROOT'");
    }
    var variables = new BsonDocument();
    variables.putAll(let.asDocument());
    variables.put("new", root);
    return variables;
  }

  private List<String> on(Namespace target) {
    BsonValue on = specification.get("on");
    if (on == null) {
      return context.catalog().documentKey(target);
    }
    if (on.isString()) {
      return checked(List.of(on.asString().getValue()));
    }
    if (!on.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_51186,
          "$merge 'on' field  must be either a string or an array of strings, but found "
              + BsonText.typeName(on));
    }
    if (on.asArray().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_51187,
          "If explicitly specifying $merge 'on', must include at least one field");
    }
    var fields = new ArrayList<String>();
    for (BsonValue field : on.asArray()) {
      if (!field.isString()) {
        throw new CommandException(
            ErrorCode.LOCATION_51134,
            "$merge 'on' array elements must be strings, but found " + BsonText.typeName(field));
      }
      fields.add(field.asString().getValue());
    }
    return checked(fields);
  }

  private static List<String> checked(List<String> fields) {
    var seen = new LinkedHashSet<String>();
    for (String field : fields) {
      FieldNames.split(field);
      if (!seen.add(field)) {
        throw new CommandException(
            ErrorCode.LOCATION_31465, "Found a duplicate field '" + field + "'");
      }
    }
    return fields;
  }

  private void requireUnique(Namespace target, List<String> on) {
    Set<String> wanted = Set.copyOf(on);
    boolean isUnique =
        context.catalog().uniqueKeys(target, context.collation()).stream()
            .anyMatch(key -> Set.copyOf(key).equals(wanted));
    if (!isUnique) {
      throw new CommandException(
          ErrorCode.LOCATION_51183, "Cannot find index to verify that join fields will be unique");
    }
  }
}
