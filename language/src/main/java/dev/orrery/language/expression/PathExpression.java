package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code "$a.b"} or {@code "$$name.a.b"}: a field of a variable. An array on the way yields an
 * array of what its documents hold: {@code {a: [{b: 1}, 5, {b: 2}]} -> [1, 2]}.
 */
public final class PathExpression implements Expression {
  private final Variable variable;
  private final String text;
  private final String[] fields;

  PathExpression(Variable variable, String text, List<String> fields) {
    this.variable = variable;
    this.text = text;
    this.fields = fields.toArray(String[]::new);
  }

  /** The path from the root document, dotted; null if it starts elsewhere or has no field. */
  public @Nullable String rootPath() {
    return variable instanceof Variable.Root && fields.length > 0 ? String.join(".", fields) : null;
  }

  /** The variable and the path, with CURRENT for an implied one: {@code CURRENT.a.b}. */
  String qualifiedText() {
    return text;
  }

  @Override
  public @Nullable BsonValue evaluate(Scope scope) {
    BsonValue start = start(scope);
    return fields.length == 0 ? start : follow(start, 0);
  }

  private @Nullable BsonValue start(Scope scope) {
    if (variable instanceof Variable.Root) {
      return scope.root();
    }
    if (variable instanceof Variable.Slot slot) {
      return scope.variable(slot.slot());
    }
    return ((Variable.Known) variable).value();
  }

  private @Nullable BsonValue follow(@Nullable BsonValue start, int depth) {
    BsonValue value = start;
    for (int i = depth; i < fields.length; i++) {
      if (value instanceof BsonDocument document) {
        value = document.get(fields[i]);
      } else if (value instanceof BsonArray array) {
        return followEach(array, i);
      } else {
        return null;
      }
    }
    return value;
  }

  private BsonArray followEach(BsonArray array, int depth) {
    var found = new BsonArray(array.size());
    Allowance.current().steps(array.size());
    for (BsonValue element : array) {
      if (element instanceof BsonDocument) {
        BsonValue value = follow(element, depth);
        if (value != null) {
          found.add(value);
        }
      }
    }
    return found;
  }

  @Override
  public List<Expression> operands() {
    return List.of();
  }

  @Override
  public Expression withOperands(List<Expression> operands) {
    return this;
  }

  @Override
  public Expression optimize() {
    return variable instanceof Variable.Known known ? new Constant(follow(known.value(), 0)) : this;
  }

  @Override
  public void addDependencies(Dependencies dependencies) {
    if (variable instanceof Variable.Slot slot) {
      dependencies.addSlot(slot.slot());
    } else if (variable instanceof Variable.Root) {
      if (fields.length == 0) {
        dependencies.addWholeDocument();
      } else {
        dependencies.addField(String.join(".", fields));
      }
    }
  }
}
