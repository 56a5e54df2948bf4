package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.CommandTable;
import dev.orrery.server.command.Envelope;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.server.command.Request;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.command.StagedCommand;
import dev.orrery.server.command.TableReader;
import dev.orrery.server.command.Workers;
import dev.orrery.server.plan.CosmosExplanation;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** {@code explain}: how another command would be carried out. */
public final class ExplainCommand implements StagedCommand, TableReader {
  private static final Spec SPEC =
      Spec.of("explain", Access.READ, Trait.READ_CONCERN, Trait.STABLE_API);
  private static final Map<String, ExplainVerbosity> VERBOSITIES =
      Map.of(
          "queryPlanner", ExplainVerbosity.QUERY_PLANNER,
          "executionStats", ExplainVerbosity.EXECUTION_STATS,
          "allPlansExecution", ExplainVerbosity.ALL_PLANS_EXECUTION);

  private static final String COSMOS_VERBOSITY = "executionStatistics";

  private final ServerFacts facts;
  private final Workers workers;
  private final boolean isCosmos;
  private final ViewReader aggregations;
  private final Map<String, Explainable> commands = new HashMap<>();
  private volatile @Nullable CommandTable table;

  ExplainCommand(
      ServerFacts facts,
      DataServices services,
      ViewReader aggregations,
      List<Explainable> commands) {
    this.facts = facts;
    this.workers = services.workers();
    this.isCosmos = services.databases().provisioning().rules().isCosmos();
    this.aggregations = aggregations;
    for (Explainable command : commands) {
      this.commands.put(command.spec().name(), command);
      command.spec().aliases().forEach(alias -> this.commands.put(alias, command));
    }
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    RawDocument command = body.requireRawDocument("explain");
    boolean isOfCosmos = wantsCosmosForm(body.value("verbosity"));
    String verbosity =
        isOfCosmos
            ? "executionStats"
            : body.oneOf("verbosity", List.copyOf(VERBOSITIES.keySet()), "allPlansExecution");
    body.finish();
    CompletionStage<BsonDocument> reply = explain(context, command, VERBOSITIES.get(verbosity));
    return isOfCosmos ? reply.thenApply(CosmosExplanation::of) : reply;
  }

  /** As its documents write it, {@code {executionStatistics: true}}, or as shells can send it. */
  private boolean wantsCosmosForm(@Nullable RawValue verbosity) {
    if (verbosity == null) {
      return false;
    }
    if (verbosity.type() == RawTypes.STRING) {
      return isCosmos && verbosity.asString().equals(COSMOS_VERBOSITY);
    }
    RawValue wanted =
        verbosity.isDocument() ? verbosity.asDocument().field(COSMOS_VERBOSITY) : null;
    return wanted != null && wanted.type() == RawTypes.BOOLEAN && wanted.asBoolean();
  }

  private CompletionStage<BsonDocument> explain(
      CommandContext context, RawDocument command, ExplainVerbosity verbosity) {
    Request request = Request.message(context.connection(), command, List.of());
    String name = request.commandName();
    if (name.equals("aggregate")) {
      requireNoneTwice(command); // or another command would be explained than was allowed
      return aggregate(context, command.toBsonDocument(), verbosity);
    }
    Explainable explainable = commands.get(name);
    if (explainable == null) {
      throw cannotExplain(name);
    }
    BsonDocument onView = explainable.onView(context, reader(context, explainable, request));
    if (onView != null) {
      return aggregate(context, onView, verbosity);
    }
    CommandReader inner = reader(context, explainable, request);
    return workers.run(
        () -> {
          BsonDocument reply = explainable.explain(context, inner, verbosity);
          BsonDocument written = command.toBsonDocument();
          written.put("$db", new BsonString(context.database()));
          return ExplainServer.add(facts, context, reply.append("command", written));
        });
  }

  @Override
  public void read(CommandTable all) {
    table = all;
  }

  private CommandException cannotExplain(String name) {
    Command known = table == null ? null : table.find(name);
    return known == null
        ? new CommandException(
            ErrorCode.COMMAND_NOT_FOUND, "Explain failed due to unknown command: " + name)
        : new CommandException(
            ErrorCode.ILLEGAL_OPERATION, "Cannot explain cmd: " + known.spec().name());
  }

  private static void requireNoneTwice(RawDocument command) {
    var seen = new HashSet<String>();
    RawElements fields = command.elements();
    while (fields.next()) {
      if (!seen.add(fields.name())) {
        throw FieldErrors.duplicate("aggregate." + fields.name());
      }
    }
  }

  private static CommandReader reader(
      CommandContext context, Explainable command, Request request) {
    var reader = CommandReader.ofCommand(command.spec(), context.database(), request);
    Envelope.read(reader, command.spec());
    return reader;
  }

  private CompletionStage<BsonDocument> aggregate(
      CommandContext context, BsonDocument command, ExplainVerbosity verbosity) {
    command.remove("$db");
    return aggregations
        .explain(context, command.append("explain", BsonBoolean.TRUE), verbosity)
        .thenApply(reply -> ExplainServer.add(facts, context, reply));
  }
}
