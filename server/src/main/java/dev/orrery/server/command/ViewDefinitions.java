package dev.orrery.server.command;

import static dev.orrery.server.error.ErrorCode.NAMESPACE_EXISTS;
import static dev.orrery.server.error.ErrorCode.OPTION_NOT_SUPPORTED_ON_VIEW;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.Namespace;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.value.BsonOrder;
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
  private static final Set<String> BANNED_STAGES = Set.of("$out", "$merge", "$changeStream");

  private final Databases databases;

  ViewDefinitions(Databases databases) {
    this.databases = databases;
  }

  /** The options of a view from those that create was given. */
  static BsonDocument options(BsonDocument given, BsonDocument checked) {
    if (checked.containsKey("capped")) {
      throw CollectionOptions.invalid("Cannot create a view with the 'capped' option");
    }
    if (given.getString("viewOn").getValue().isEmpty()) {
      throw new CommandException(ErrorCode.BAD_VALUE, "'viewOn' cannot be empty");
    }
    var options =
        new BsonDocument("viewOn", given.get("viewOn"))
            .append("pipeline", given.getArray("pipeline", new BsonArray()));
    if (checked.containsKey("collation")) {
      options.append("collation", checked.get("collation"));
    }
    return options;
  }

  /** Refuses a definition that cannot be carried out: bad stages, cycles, too many levels. */
  void require(Namespace view, BsonDocument options) {
    if (view.collection().startsWith("system.")) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE, "View name cannot start with 'system.': " + view);
    }
    String on = options.getString("viewOn").getValue();
    if (on.startsWith(".") || on.indexOf('$') >= 0 || on.indexOf('\0') >= 0) {
      throw new CommandException(ErrorCode.INVALID_NAMESPACE, "invalid name for 'viewOn': " + on);
    }
    requireStages(view, options.getArray("pipeline"));
    var path = new ArrayList<String>();
    visit(new Visit(view, options), view.collection(), options, path);
    requireParentDepth(view, options);
  }

  private static void requireStages(Namespace view, BsonArray pipeline) {
    for (int i = 0; i < pipeline.size(); i++) {
      BsonDocument stage = pipeline.get(i).asDocument();
      if (stage.size() != 1) {
        throw new CommandException(
            ErrorCode.LOCATION_40323,
            "Invalid pipeline for view %s :: caused by :: A pipeline stage specification object must contain exactly one field."
                .formatted(view));
      }
      String name = stage.getFirstKey();
      if (!name.startsWith("$")) {
        throw new CommandException(
            ErrorCode.LOCATION_40324,
            "Invalid pipeline for view %s :: caused by :: Unrecognized pipeline stage name: '%s'"
                .formatted(view, name));
      }
      if (BANNED_STAGES.contains(name)) {
        throw new CommandException(
            OPTION_NOT_SUPPORTED_ON_VIEW,
            "The aggregation stage %s in location %d of the pipeline cannot be used in the view definition of %s"
                .formatted(name, i, view));
      }
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
