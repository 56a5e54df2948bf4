package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.accumulator.Accumulation;
import dev.orrery.language.aggregate.accumulator.Accumulators;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.SourceQuery;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.PathExpression;
import dev.orrery.value.BsonOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $group}: one document for each value of an expression, with accumulated fields. */
record GroupStage(
    Expression id,
    List<String> fields,
    List<Accumulation> accumulations,
    BsonOrder order,
    BsonDocument specification)
    implements Stage {

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_15947, "a group's fields must be specified in an object");
    }
    return List.of(of(argument.asDocument(), context));
  }

  static GroupStage of(BsonDocument specification, PipelineContext context) {
    Expression id = null;
    Map<String, Accumulation> accumulations = new LinkedHashMap<>();
    for (var field : specification.entrySet()) {
      if (field.getKey().equals("_id")) {
        id = parseId(field.getValue(), context);
      } else {
        accumulations.put(
            field.getKey(), Accumulators.parseField(field.getKey(), field.getValue(), context));
      }
    }
    if (id == null) {
      throw new CommandException(
          ErrorCode.LOCATION_15955, "a group specification must include an _id");
    }
    return new GroupStage(
        id,
        List.copyOf(accumulations.keySet()),
        List.copyOf(accumulations.values()),
        context.order(),
        new BsonDocument("$group", specification));
  }

  private static Expression parseId(BsonValue id, PipelineContext context) {
    boolean isObject =
        id.isDocument()
            && !id.asDocument().isEmpty()
            && !id.asDocument().getFirstKey().startsWith("$");
    if (isObject) {
      for (BsonValue field : id.asDocument().values()) {
        if (field.isNumber() || field.isDecimal128() || field.isBoolean()) {
          throw new CommandException(
              ErrorCode.LOCATION_17390, "$group does not support inclusion-style expressions");
        }
      }
    }
    return Expressions.parse(id, context.expressions());
  }

  @Override
  public String name() {
    return "$group";
  }

  @Override
  public Stage optimize() {
    List<Accumulation> optimized = new ArrayList<>();
    Expression key = id.optimize();
    accumulations.forEach(one -> optimized.add(one.optimize()));
    return new GroupStage(key, fields, optimized, order, specification);
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    id.addDependencies(dependencies);
    accumulations.forEach(one -> one.addDependencies(dependencies));
    return true;
  }

  /**
   * Which document of each group is enough, if one is: the path that is grouped by must be plain,
   * and all accumulators take the first document, or all the last.
   */
  SourceQuery.@Nullable OneOfEach one() {
    String path = id instanceof PathExpression plain ? plain.rootPath() : null;
    var names = new HashSet<String>();
    specification
        .getDocument(name())
        .forEach(
            (field, accumulator) -> {
              if (!field.equals("_id")) {
                names.add(accumulator.asDocument().getFirstKey());
              }
            });
    boolean isLast = names.equals(Set.of("$last"));
    return path != null && (isLast || names.equals(Set.of("$first")))
        ? new SourceQuery.OneOfEach(path, isLast)
        : null;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return open(
        run,
        groups -> {
          for (BsonDocument one = input.next(); one != null; one = input.next()) {
            groups.add(one);
          }
        },
        input::close);
  }

  /** The groups, which are filled when the first of them is asked for. */
  DocumentStream open(PipelineRun run, Consumer<Grouping> filling, Runnable close) {
    return new DocumentStream() {
      private @Nullable Grouping groups;

      @Override
      public @Nullable BsonDocument next() {
        if (groups == null) {
          groups = new Grouping(GroupStage.this, run, 0);
          filling.accept(groups);
          groups.finish();
        }
        return groups.next();
      }

      @Override
      public void close() {
        if (groups != null) {
          groups.close();
        }
        close.run();
      }
    };
  }
}
