package dev.orrery.server.command;

import static dev.orrery.server.command.AccessRules.all;
import static dev.orrery.server.command.AccessRules.text;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Grants;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.command.AccessRules.Call;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawElements;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import org.jspecify.annotations.Nullable;

/**
 * What pipelines need, and views, which are pipelines: each collection they read must be readable,
 * wherever it is named, and that of {@code $out} and {@code $merge} writable.
 */
final class PipelineRules {
  /** MongoDB allows no deeper nesting of pipelines either. */
  private static final int DEPTH_MAX = 20;

  private final Grants grants;
  private final String database;

  private PipelineRules(Grants grants, String database) {
    this.grants = grants;
    this.database = database;
  }

  static boolean aggregate(Grants grants, Call call) {
    RawValue pipeline = call.body().field("pipeline");
    var rules = new PipelineRules(grants, call.database());
    return rules.allowsSource(call.collection(), pipeline) && rules.allows(pipeline, 0);
  }

  static boolean create(Grants grants, Call call) {
    boolean mayCreate =
        grants.allows(Action.CREATE_COLLECTION, call.collection())
            || grants.allows(Action.INSERT, call.collection());
    return mayCreate && view(grants, call);
  }

  static boolean collMod(Grants grants, Call call) {
    return grants.allows(Action.COLL_MOD, call.collection()) && view(grants, call);
  }

  /** A view shows what is behind it to its readers, so its maker must be able to see that. */
  private static boolean view(Grants grants, Call call) {
    String source = call.text("viewOn");
    RawValue pipeline = call.body().field("pipeline");
    var rules = new PipelineRules(grants, call.database());
    return (source == null || rules.reads(Resource.collection(call.database(), source)))
        && (pipeline == null || rules.allows(pipeline, 0));
  }

  private boolean reads(Resource collection) {
    return grants.allows(Action.FIND, collection);
  }

  /** The first stage decides: some read the server or the metadata instead of documents. */
  private boolean allowsSource(Resource source, @Nullable RawValue pipeline) {
    String first = pipeline == null || !pipeline.isArray() ? "" : firstStage(pipeline);
    return switch (first) {
      case "$currentOp" -> showsOwnOnly(pipeline) || grants.allows(Action.INPROG, Resource.CLUSTER);
      case "$listSessions" -> grants.allows(Action.LIST_SESSIONS, Resource.CLUSTER);
      case "$listLocalSessions", "$documents" -> true;
      case "$collStats" -> grants.allows(Action.COLL_STATS, source);
      case "$indexStats" -> grants.allows(Action.INDEX_STATS, source) || reads(source);
      case "$planCacheStats" -> grants.allows(Action.PLAN_CACHE_READ, source);
      case "$changeStream" -> all(grants, source, Action.FIND, Action.CHANGE_STREAM);
      default -> reads(source);
    };
  }

  /** Whether {@code $currentOp} is asked for no more than what the same user does. */
  private static boolean showsOwnOnly(RawValue pipeline) {
    RawElements stages = pipeline.asDocument().elements();
    RawValue options = stages.next() ? stages.value().asDocument().field("$currentOp") : null;
    RawValue all =
        options != null && options.isDocument() ? options.asDocument().field("allUsers") : null;
    return all == null || all.type() == RawTypes.BOOLEAN && !all.asBoolean();
  }

  private static String firstStage(RawValue pipeline) {
    RawElements stages = pipeline.asDocument().elements();
    if (!stages.next() || !stages.value().isDocument()) {
      return "";
    }
    RawElements stage = stages.value().asDocument().elements();
    return stage.next() ? stage.name() : "";
  }

  private boolean allows(@Nullable RawValue pipeline, int depth) {
    if (pipeline == null || !pipeline.isArray()) {
      return true; // the command refuses it
    }
    if (depth > DEPTH_MAX) {
      return false;
    }
    RawElements stages = pipeline.asDocument().elements();
    while (stages.next()) {
      if (stages.value().isDocument() && !allowsStage(stages.value().asDocument(), depth)) {
        return false;
      }
    }
    return true;
  }

  private boolean allowsStage(RawDocument document, int depth) {
    RawElements stage = document.elements();
    if (!stage.next()) {
      return true;
    }
    RawValue argument = stage.value();
    return switch (stage.name()) {
      case "$lookup", "$graphLookup" -> reads(argument, "from") && inner(argument, depth);
      case "$unionWith" -> reads(argument, "coll") && inner(argument, depth);
      case "$facet" -> facets(argument, depth);
      case "$out" -> all(grants, target(argument, "coll"), Action.INSERT, Action.REMOVE);
      case "$merge" -> merges(argument);
      case "$changeStream" -> changeStream(argument);
      default -> true;
    };
  }

  private boolean inner(RawValue argument, int depth) {
    return !argument.isDocument() || allows(argument.asDocument().field("pipeline"), depth + 1);
  }

  private boolean facets(RawValue argument, int depth) {
    if (argument.isDocument()) {
      RawElements facets = argument.asDocument().elements();
      while (facets.next()) {
        if (!allows(facets.value(), depth + 1)) {
          return false;
        }
      }
    }
    return true;
  }

  /** A collection by name, or as {@code {from: name}}, or as {@code {from: {db, coll}}}. */
  private boolean reads(RawValue argument, String field) {
    RawValue from = argument.isDocument() ? argument.asDocument().field(field) : argument;
    if (from == null) {
      return true; // a pipeline of its own, such as $documents
    }
    if (!from.isDocument() && argument.isDocument()) {
      String other = text(argument.asDocument().field("db"));
      if (other != null) {
        return reads(Resource.collection(other, String.valueOf(text(from))));
      }
    }
    return reads(target(from, "coll"));
  }

  private boolean merges(RawValue argument) {
    RawValue into = argument.isDocument() ? argument.asDocument().field("into") : argument;
    if (into == null) {
      return true; // the stage refuses it
    }
    Resource target = target(into, "coll");
    RawValue pipeline = argument.isDocument() ? argument.asDocument().field("whenMatched") : null;
    return all(grants, target, Action.INSERT, Action.UPDATE)
        && (pipeline == null || allows(pipeline, 0));
  }

  private boolean changeStream(RawValue argument) {
    RawValue all =
        argument.isDocument() ? argument.asDocument().field("allChangesForCluster") : null;
    return all == null || all(grants, Resource.database(""), Action.FIND, Action.CHANGE_STREAM);
  }

  /** {@code "name"} or {@code {db: "database", coll: "name"}}. */
  private Resource target(RawValue value, String field) {
    if (!value.isDocument()) {
      String name = text(value);
      return name == null ? Resource.CLUSTER : Resource.collection(database, name);
    }
    String other = text(value.asDocument().field("db"));
    String name = text(value.asDocument().field(field));
    return name == null
        ? Resource.CLUSTER
        : Resource.collection(other == null ? database : other, name);
  }
}
