package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.MappingStage;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.FieldNames;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.query.ProjectionNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $addFields}, {@code $set}: sets fields to the values of expressions. */
record AddFieldsStage(String name, ProjectionNode.Inner tree, BsonDocument specification)
    implements MappingStage {

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40272,
          name + " specification stage must be an object, got " + BsonText.typeName(argument));
    }
    BsonDocument fields = argument.asDocument();
    var root = new ProjectionNode.Inner(new LinkedHashMap<>());
    StageFailures.inStage(
        name,
        () -> {
          AddFieldsRules.requireValid(fields);
          var parser = new Parser(root, fields, context.expressions());
          fields.forEach((path, value) -> parser.parse(FieldNames.split(path), value));
          return root;
        });
    return List.of(new AddFieldsStage(name, root, new BsonDocument(name, fields)));
  }

  /** Puts the expressions of a specification into a tree. */
  private record Parser(
      ProjectionNode.Inner root, BsonDocument specification, ParseContext context) {
    void parse(List<String> path, BsonValue value) {
      if (!isNested(value)) {
        add(path, new ProjectionNode.Computed(Expressions.parse(value, context)));
        return;
      }
      for (var field : value.asDocument().entrySet()) {
        var inner = new ArrayList<>(path);
        inner.addAll(FieldNames.split(field.getKey()));
        parse(inner, field.getValue());
      }
    }

    private static boolean isNested(BsonValue value) {
      return value.isDocument()
          && !value.asDocument().isEmpty()
          && !value.asDocument().getFirstKey().startsWith("$");
    }

    private void add(List<String> path, ProjectionNode node) {
      ProjectionNode.Inner inner = root;
      for (int i = 0; i < path.size() - 1; i++) {
        ProjectionNode next =
            inner
                .children()
                .computeIfAbsent(
                    path.get(i), key -> new ProjectionNode.Inner(new LinkedHashMap<>()));
        if (!(next instanceof ProjectionNode.Inner deeper)) {
          throw conflict(path, path.subList(0, i + 1));
        }
        inner = deeper;
      }
      if (inner.children().putIfAbsent(path.get(path.size() - 1), node) != null) {
        throw conflict(path, path);
      }
    }

    private CommandException conflict(List<String> path, List<String> other) {
      return new CommandException(
          ErrorCode.LOCATION_40176,
          "specification contains two conflicting paths. Cannot specify both '"
              + String.join(".", path)
              + "' and '"
              + String.join(".", other)
              + "': "
              + BsonText.document(specification));
    }
  }

  /**
   * One stage that does the work of both; null if this one reads or sets what the first one
   * changes, or the first one is something else.
   */
  @Nullable Stage after(Stage first) {
    ProjectionNode.Inner before;
    if (first instanceof AddFieldsStage fields) {
      before = fields.tree;
    } else if (first instanceof ProjectStage project && project.isInclusion()) {
      before = project.tree();
    } else {
      return null;
    }
    var dependencies = new Dependencies();
    FieldTree.addDependencies(tree, "", dependencies);
    boolean isApart =
        tree.children().keySet().stream().noneMatch(before.children()::containsKey)
            && !dependencies.needsWholeDocument()
            && dependencies.fields().stream().allMatch(first::preserves);
    if (!isApart) {
      return null;
    }
    Map<String, ProjectionNode> children = new LinkedHashMap<>(before.children());
    children.putAll(tree.children());
    var both = new ProjectionNode.Inner(children);
    BsonDocument fields = first.specification().getDocument(first.name()).clone();
    fields.putAll(specification.getDocument(name));
    var fused = new BsonDocument(first.name(), fields);
    return first instanceof ProjectStage
        ? new ProjectStage(first.name(), both, true, fused)
        : new AddFieldsStage(first.name(), both, fused);
  }

  @Override
  public Stage optimize() {
    return new AddFieldsStage(name, FieldTree.optimize(tree), specification);
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    FieldTree.addDependencies(tree, "", dependencies);
    return false;
  }

  @Override
  public Set<String> generatedFields() {
    return tree.children().entrySet().stream()
        .filter(field -> field.getValue() instanceof ProjectionNode.Computed)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  @Override
  public boolean preserves(String path) {
    return !tree.children().containsKey(Documents.head(path));
  }

  @Override
  public BsonDocument map(BsonDocument document, Scope scope) {
    return FieldTree.computed(tree, document, scope.root(document));
  }
}
