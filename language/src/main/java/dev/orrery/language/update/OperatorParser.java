package dev.orrery.language.update;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Builds the tree of an update by operators, and finds operators that would get in each other's
 * way.
 */
final class OperatorParser {
  private final UpdateOptions options;
  private final Map<String, ArrayFilter> filters;
  private final FieldNode root = new FieldNode();
  private final Set<String> usedFilters = new HashSet<>();
  private boolean isPositional;

  OperatorParser(UpdateOptions options, Map<String, ArrayFilter> filters) {
    this.options = options;
    this.filters = filters;
  }

  /** Reads the bytes: an operator may come twice, and a path that does is a conflict. */
  Update parse(RawDocument update) {
    var operators = update.elements();
    while (operators.next()) {
      parseOperator(operators.name(), operators.value());
    }
    for (String identifier : filters.keySet()) {
      if (!usedFilters.contains(identifier)) {
        throw new CommandException(
            ErrorCode.FAILED_TO_PARSE,
            "The array filter for identifier '"
                + identifier
                + "' was not used in the update "
                + BsonText.document(update.toBsonDocument()));
      }
    }
    return new OperatorUpdate(root, isPositional);
  }

  private void parseOperator(String name, RawValue operand) {
    var operator = UpdateOperators.TABLE.find(name);
    if (operator == null) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "Unknown modifier: "
              + name
              + ". Expected a valid update modifier or pipeline-style update specified as an"
              + " array");
    }
    if (!operand.isDocument()) {
      var value = operand.toBsonValue();
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "Modifiers operate on fields but we found type "
              + BsonText.typeName(value)
              + " instead. For example: {$mod: {<field>: ...}} not "
              + BsonText.bracedElement(name, value));
    }
    Allowance allowance = Allowance.current();
    var fields = operand.asDocument().elements();
    while (fields.next()) {
      allowance.step();
      parseField(operator, fields.name(), fields.value());
    }
  }

  private void parseField(UpdateOperator operator, String name, RawValue value) {
    if (operator == Rename.OPERATOR) {
      parseRename(name, value.toBsonValue());
    } else {
      var path = UpdatePath.parse(name);
      var argument = new Argument(name, value, value.toBsonValue(), options.order());
      add(path, new ModifierLeaf(operator.parse(argument)));
    }
  }

  /** Both ends of a rename are taken: no other operator may touch them. */
  private void parseRename(String from, BsonValue to) {
    var source = UpdatePath.parse(from);
    add(source, Rename.SOURCE);
    var rename = Rename.parse(source, to);
    add(rename.target(), rename);
  }

  private void add(UpdatePath path, LeafNode leaf) {
    isPositional |= path.isPositional();
    UpdateNode node = root;
    for (int i = 0; i < path.size() - 1; i++) {
      node = descend(node, path, i);
    }
    int last = path.size() - 1;
    String name = childName(path, last);
    if (child(node, name) != null) {
      throw conflict(path, path.text());
    }
    add(node, name, leaf);
  }

  /** The node for the next part of a path, made if there is none. */
  private UpdateNode descend(UpdateNode node, UpdatePath path, int index) {
    String name = childName(path, index);
    boolean leadsToElements = UpdatePath.isIdentifier(path.part(index + 1));
    var child = child(node, name);
    if (child == null) {
      child = leadsToElements ? new ElementNode(filters) : new FieldNode();
      add(node, name, child);
    } else if (leadsToElements ? !(child instanceof ElementNode) : !(child instanceof FieldNode)) {
      throw conflict(path, path.prefix(index + 1));
    }
    return child;
  }

  private static @Nullable UpdateNode child(UpdateNode node, String name) {
    return node instanceof ElementNode elements
        ? elements.child(name)
        : ((FieldNode) node).child(name);
  }

  private static void add(UpdateNode node, String name, UpdateNode child) {
    if (node instanceof ElementNode elements) {
      elements.add(name, child);
    } else {
      ((FieldNode) node).add(name, child);
    }
  }

  /** The part of a path, or the identifier in it. */
  private String childName(UpdatePath path, int index) {
    String part = path.part(index);
    if (!UpdatePath.isIdentifier(part)) {
      return part;
    }
    if (index == 0) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in"
              + " path '"
              + path.text()
              + "'");
    }
    String identifier = part.substring(2, part.length() - 1);
    if (!identifier.isEmpty() && !filters.containsKey(identifier)) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "No array filter found for identifier '"
              + identifier
              + "' in path '"
              + path.text()
              + "'");
    }
    usedFilters.add(identifier);
    return identifier;
  }

  private static CommandException conflict(UpdatePath path, String place) {
    return new CommandException(
        ErrorCode.CONFLICTING_UPDATE_OPERATORS,
        "Updating the path '" + path.text() + "' would create a conflict at '" + place + "'");
  }
}
