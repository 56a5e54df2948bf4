package dev.orrery.language.aggregate;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.FieldNames;
import java.util.Comparator;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What $addFields may say about paths, checked for all of them before any expression is parsed. */
final class AddFieldsRules {
  /** A path comes right before those that lead on from it. */
  private static final Comparator<String> ORDER =
      Comparator.comparing(path -> path.replace('.', '\0'));

  private final BsonDocument specification;
  private final NavigableSet<String> seen = new TreeSet<>(ORDER);

  private AddFieldsRules(BsonDocument specification) {
    this.specification = specification;
  }

  static void requireValid(BsonDocument specification) {
    var rules = new AddFieldsRules(specification);
    specification.forEach(
        (path, value) -> {
          FieldNames.split(path);
          rules.check(path, value);
        });
  }

  private void check(String path, BsonValue value) {
    if (!value.isDocument()) {
      add(path);
      return;
    }
    BsonDocument fields = value.asDocument();
    for (var field : fields.entrySet()) {
      String name = field.getKey();
      if (name.startsWith("$")) {
        requireAlone(fields);
        add(path);
        continue;
      }
      if (name.indexOf('.') >= 0) {
        throw new CommandException(
            ErrorCode.LOCATION_40183,
            "cannot use dotted field name '"
                + name
                + "' in a sub object: "
                + BsonText.document(specification));
      }
      String inner = path + "." + name;
      FieldNames.split(inner);
      check(inner, field.getValue());
    }
  }

  private void requireAlone(BsonDocument expression) {
    if (expression.size() != 1) {
      throw new CommandException(
          ErrorCode.LOCATION_40181,
          "an expression specification must contain exactly one field, the name of the expression."
              + " Found "
              + expression.size()
              + " fields in "
              + BsonText.document(expression)
              + ", while parsing object "
              + BsonText.document(specification));
    }
  }

  private void add(String path) {
    String other = conflict(path);
    if (other != null) {
      throw new CommandException(
          ErrorCode.LOCATION_40176,
          "specification contains two conflicting paths. Cannot specify both '"
              + path
              + "' and '"
              + other
              + "': "
              + BsonText.document(specification));
    }
    seen.add(path);
  }

  private @Nullable String conflict(String path) {
    String before = seen.floor(path);
    if (before != null && (before.equals(path) || path.startsWith(before + "."))) {
      return before;
    }
    String after = seen.higher(path);
    return after != null && after.startsWith(path + ".") ? after : null;
  }
}
