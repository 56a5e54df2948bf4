package dev.orrery.server.command.schema;

import static dev.orrery.language.error.ErrorCode.NAMESPACE_EXISTS;
import static dev.orrery.language.error.ErrorCode.OPTION_NOT_SUPPORTED_ON_VIEW;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.data.PipelineCheck;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/** What may be a view: its options, and the graph of the namespaces that views read. */
final class ViewDefinitions {
  private static final int DEPTH_MAX = 20;
  private static final Set<ErrorCode> FORM_ERRORS =
      Set.of(ErrorCode.LOCATION_40323, ErrorCode.LOCATION_40324);

  private final Databases databases;
  private final PipelineCheck pipelines;

  ViewDefinitions(Databases databases, PipelineCheck pipelines) {
    this.databases = databases;
    this.pipelines = pipelines;
  }

  /** The options of a view from those that create was given. */
  static BsonDocument options(BsonDocument given, BsonDocument checked) {
    if (checked.containsKey("capped")) {
      throw CollectionOptions.invalid("Cannot create a view with the 'capped' option");
    }
    requireSource(given);
    var options =
        new BsonDocument("viewOn", given.get("viewOn"))
            .append("pipeline", given.getArray("pipeline", new BsonArray()));
    if (checked.containsKey("collation")) {
      options.append("collation", checked.get("collation"));
    }
    return options;
  }

  private static String requireSource(BsonDocument options) {
    String on = options.getString("viewOn").getValue();
    if (on.isEmpty()) {
      throw new CommandException(ErrorCode.BAD_VALUE, "'viewOn' cannot be empty");
    }
    return on;
  }

  /** Refuses a definition that cannot be carried out: bad stages, cycles, too many levels. */
  void require(CommandContext context, Namespace view, BsonDocument options) {
    if (view.collection().startsWith("system.")) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE, "View name cannot start with 'system.': " + view);
    }
    String on = requireSource(options);
    if (on.startsWith(".") || on.indexOf('$') >= 0 || on.indexOf('\0') >= 0) {
      throw new CommandException(ErrorCode.INVALID_NAMESPACE, "invalid name for 'viewOn': " + on);
    }
    requireStages(context, view, options);
    var path = new ArrayList<String>();
    visit(new Visit(view, options), view.collection(), options, path);
    requireParentDepth(view, options);
  }

  /** Errors of form are told as they are; MongoDB finds the others later, and says where. */
  private void requireStages(CommandContext context, Namespace view, BsonDocument options) {
    List<BsonDocument> stages =
        options.getArray("pipeline").stream().map(BsonValue::asDocument).toList();
    var on = new Namespace(view.database(), options.getString("viewOn").getValue());
    try {
      for (int i = 0; i < stages.size(); i++) {
        requireReading(view, stages.get(i), i);
      }
      pipelines.require(context, on, stages);
    } catch (CommandException e) {
      if (FORM_ERRORS.contains(e.code())) {
        throw e;
      }
      throw new CommandException(
          e.code(),
          "Invalid pipeline for view " + view + " :: caused by :: " + e.getMessage(),
          e.details());
    }
  }

  private static void requireReading(Namespace view, BsonDocument stage, int position) {
    String name = stage.isEmpty() ? "" : stage.getFirstKey();
    if (name.equals("$out") || name.equals("$merge")) {
      throw new CommandException(
          OPTION_NOT_SUPPORTED_ON_VIEW,
          "The aggregation stage %s in location %d of the pipeline cannot be used in the view definition of %s because it writes to disk"
              .formatted(name, position, view));
    }
    if (name.equals("$changeStream")) {
      throw new CommandException(
          OPTION_NOT_SUPPORTED_ON_VIEW, "$changeStream cannot be used in a view definition");
    }
    if (name.equals("$documents") || name.equals("$currentOp")) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE, "'" + name + "' cannot be used in a view definition");
    }
  }

  /** The view that is being defined, as if it existed already. */
  private record Visit(Namespace start, BsonDocument options) {}

  /** Follows what a view reads, depth first, as long as there are views. */
  private void visit(Visit visit, String current, BsonDocument options, List<String> path) {
    path.add(current);
    if (path.size() > 1 && current.equals(visit.start.collection())) {
      throw cycle(visit.start.database(), path);
    }
    if (path.size() - 1 > DEPTH_MAX) {
      throw tooDeep();
    }
    for (String child : dependencies(options)) {
      BsonDocument definition = definition(visit, child);
      if (definition == null) {
        continue;
      }
      visit(visit, child, definition, path);
      if (!Objects.equals(options.get("collation"), definition.get("collation"))) {
        String database = visit.start.database();
        throw new CommandException(
            OPTION_NOT_SUPPORTED_ON_VIEW,
            "View %s.%s has conflicting collation with view %s.%s"
                .formatted(database, current, database, child));
      }
    }
    path.remove(path.size() - 1);
  }

  private BsonDocument definition(Visit visit, String collection) {
    if (collection.equals(visit.start.collection())) {
      return visit.options;
    }
    CollectionStore found = databases.find(visit.start.database(), collection);
    return found == null || !found.info().isView() ? null : found.info().options();
  }

  private static CommandException cycle(String database, List<String> path) {
    var text = new StringBuilder("View cycle detected: ");
    text.append(database).append('.').append(path.get(path.size() - 1));
    for (int i = path.size() - 1; i >= 0; i--) {
      text.append(" => ").append(database).append('.').append(path.get(i));
    }
    return new CommandException(ErrorCode.GRAPH_CONTAINS_CYCLE, text.toString());
  }

  private static CommandException tooDeep() {
    return new CommandException(
        ErrorCode.VIEW_DEPTH_LIMIT_EXCEEDED,
        "View depth limit exceeded; maximum depth is " + DEPTH_MAX);
  }

  /** Views that read this one must not become too deep either. */
  private void requireParentDepth(Namespace view, BsonDocument options) {
    int below = height(view.database(), options, 0);
    int above = 0;
    Set<String> level = Set.of(view.collection());
    while (!level.isEmpty() && above <= DEPTH_MAX) {
      level = parents(view.database(), level);
      above += level.isEmpty() ? 0 : 1;
    }
    if (above + below > DEPTH_MAX) {
      throw tooDeep();
    }
  }

  private int height(String database, BsonDocument options, int depth) {
    int highest = depth;
    for (String child : dependencies(options)) {
      CollectionStore found = databases.find(database, child);
      boolean isView = found != null && found.info().isView() && depth < DEPTH_MAX;
      highest =
          Math.max(
              highest, isView ? height(database, found.info().options(), depth + 1) : depth + 1);
    }
    return highest;
  }

  private Set<String> parents(String database, Set<String> children) {
    var parents = new LinkedHashSet<String>();
    for (CollectionStore candidate : databases.in(database)) {
      CollectionInfo info = candidate.info();
      if (info.isView() && dependencies(info.options()).stream().anyMatch(children::contains)) {
        parents.add(info.namespace().collection());
      }
    }
    return parents;
  }

  /** The collections and views that a definition names, in order. */
  private static Set<String> dependencies(BsonDocument options) {
    var names = new LinkedHashSet<String>();
    names.add(options.getString("viewOn").getValue());
    collect(options.getArray("pipeline"), names);
    return names;
  }

  private static void collect(BsonArray pipeline, Set<String> names) {
    for (BsonValue stage : pipeline) {
      if (stage.isDocument()) {
        stage.asDocument().forEach((name, value) -> collect(name, value, names));
      }
    }
  }

  private static void collect(String stage, BsonValue value, Set<String> names) {
    if (stage.equals("$unionWith") && value.isString()) {
      names.add(value.asString().getValue());
    }
    if (!value.isDocument()) {
      return;
    }
    BsonDocument body = value.asDocument();
    switch (stage) {
      case "$lookup", "$graphLookup" -> addName(body.get("from"), names);
      case "$unionWith" -> addName(body.get("coll"), names);
      case "$facet" -> body.values().forEach(facet -> collectPipeline(facet, names));
      default -> {}
    }
    collectPipeline(body.get("pipeline"), names);
  }

  private static void addName(BsonValue name, Set<String> names) {
    if (name instanceof BsonString text) {
      names.add(text.getValue());
    }
  }

  private static void collectPipeline(BsonValue pipeline, Set<String> names) {
    if (pipeline instanceof BsonArray stages) {
      collect(stages, names);
    }
  }

  /** Refuses to create a view that exists with another definition. */
  static void requireSame(CollectionInfo existing, BsonDocument options) {
    String database = existing.namespace().database();
    String on = existing.options().getString("viewOn").getValue();
    String wanted = options.getString("viewOn", new BsonString("")).getValue();
    String prefix = "namespace %s already exists, but ".formatted(existing.namespace());
    if (!on.equals(wanted)) {
      throw new CommandException(
          NAMESPACE_EXISTS,
          prefix
              + "is a view on %s.%s rather than %s.%s".formatted(database, on, database, wanted));
    }
    BsonArray pipeline = existing.options().getArray("pipeline");
    if (!BsonOrder.CANONICAL.areEqual(pipeline, options.getArray("pipeline"))) {
      throw new CommandException(
          NAMESPACE_EXISTS,
          prefix
              + "with pipeline %s rather than %s"
                  .formatted(numbered(pipeline), numbered(options.getArray("pipeline"))));
    }
    BsonDocument collation = existing.options().getDocument("collation", new BsonDocument());
    BsonDocument given = options.getDocument("collation", new BsonDocument());
    if (!collation.equals(given)) {
      throw new CommandException(
          NAMESPACE_EXISTS,
          prefix
              + "with collation: %s rather than %s"
                  .formatted(BsonText.document(collation), BsonText.document(given)));
    }
  }

  /** MongoDB prints an array that it took for a document: {@code { 0: ..., 1: ... }}. */
  private static String numbered(BsonArray array) {
    var document = new BsonDocument();
    for (int i = 0; i < array.size(); i++) {
      document.append(Integer.toString(i), array.get(i));
    }
    return BsonText.document(document);
  }
}
