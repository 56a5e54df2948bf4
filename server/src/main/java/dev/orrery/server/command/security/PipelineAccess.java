package dev.orrery.server.command.security;

import static dev.orrery.server.command.security.AccessRules.all;
import static dev.orrery.server.command.security.AccessRules.isTrue;
import static dev.orrery.server.command.security.AccessRules.mayBypass;
import static dev.orrery.server.command.security.AccessRules.text;

import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Grants;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.security.AccessRules.Call;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.jspecify.annotations.Nullable;

/**
 * What pipelines need, and views, which are pipelines: each collection they read must be readable,
 * wherever it is named, and that of {@code $out} and {@code $merge} writable.
 */
final class PipelineAccess {
  /** MongoDB allows no deeper nesting of pipelines either. */
  private static final int DEPTH_MAX = 20;

  private final Grants grants;
  private final Call call;
  private final String database;

  private PipelineAccess(Grants grants, Call call) {
    this.grants = grants;
    this.call = call;
    this.database = call.database();
  }

  static boolean aggregate(Grants grants, Call call) {
    RawValue pipeline = call.body().field("pipeline");
    var rules = new PipelineAccess(grants, call);
    return rules.allowsSource(call.collection(), pipeline) && rules.allows(pipeline, 0);
  }

  static boolean create(Grants grants, Call call) {
    Resource collection = call.collection();
    boolean isView = call.body().field("viewOn") != null;
    boolean isCapped = isTrue(call.body().field("capped"));
    boolean mayCreate =
        grants.allows(Action.CREATE_COLLECTION, collection)
            || !isView && grants.allows(Action.INSERT, collection);
    return mayCreate
        && (!isCapped || grants.allows(Action.CONVERT_TO_CAPPED, collection))
        && view(grants, call);
  }

  static boolean collMod(Grants grants, Call call) {
    return grants.allows(Action.COLL_MOD, call.collection()) && view(grants, call);
  }

  /** A view shows what is behind it to its readers, so its maker must be able to see that. */
  private static boolean view(Grants grants, Call call) {
    String source = call.text("viewOn");
    RawValue pipeline = call.body().field("pipeline");
    var rules = new PipelineAccess(grants, call);
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
      case "$currentOp" ->
          !isForAllUsers(options(pipeline)) || grants.allows(Action.INPROG, Resource.CLUSTER);
      case "$listSessions", "$listLocalSessions" ->
          showsOwnOnly(options(pipeline)) || grants.allows(Action.LIST_SESSIONS, Resource.CLUSTER);
      case "$shardedDataDistribution" -> grants.allows(Action.LIST_SHARDS, Resource.CLUSTER);
      case "$documents" -> true;
      case "$collStats" -> grants.allows(Action.COLL_STATS, source);
      case "$indexStats" -> grants.allows(Action.INDEX_STATS, source);
      case "$planCacheStats" -> grants.allows(Action.PLAN_CACHE_READ, source);
      case "$changeStream" -> all(grants, source, Action.FIND, Action.CHANGE_STREAM);
      default -> reads(source);
    };
  }

  /** What the first stage says; null when that is no document. */
  private static @Nullable RawDocument options(RawValue pipeline) {
    RawElements stages = pipeline.asDocument().elements();
    RawValue argument = stages.next() ? last(stages.value().asDocument(), null) : null;
    return argument != null && argument.isDocument() ? argument.asDocument() : null;
  }

  private static boolean isForAllUsers(@Nullable RawDocument options) {
    RawValue all = options == null ? null : last(options, "allUsers");
    return all != null && !(all.type() == RawTypes.BOOLEAN && !all.asBoolean());
  }

  /** Whether the sessions of no other user are asked for. */
  private boolean showsOwnOnly(@Nullable RawDocument options) {
    RawValue users = options == null ? null : last(options, "users");
    boolean isList = users != null && users.isArray();
    return !isForAllUsers(options)
        && (users == null
            || isList && users.asDocument().toValues().stream().allMatch(this::isSelf));
  }

  private boolean isSelf(RawValue user) {
    if (!user.isDocument()) {
      return false;
    }
    String name = text(last(user.asDocument(), "user"));
    String where = text(last(user.asDocument(), "db"));
    return name != null && where != null && new UserName(name, where).equals(call.user());
  }

  /**
   * The last field of that name (of any, without one), or null. A name may come twice, and it is
   * the last that a stage is made of.
   */
  private static @Nullable RawValue last(RawDocument document, @Nullable String name) {
    RawElements elements = document.elements();
    RawValue found = null;
    while (elements.next()) {
      if (name == null || elements.name().equals(name)) {
        found = elements.value();
      }
    }
    return found;
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

  /** A stage has one field; should its name come again, each must be allowed. */
  private boolean allowsStage(RawDocument document, int depth) {
    RawElements stage = document.elements();
    while (stage.next()) {
      if (!allowsStage(stage.name(), stage.value(), depth)) {
        return false;
      }
    }
    return true;
  }

  private boolean allowsStage(String name, RawValue argument, int depth) {
    return switch (name) {
      case "$lookup", "$graphLookup" -> reads(argument, "from", depth);
      case "$unionWith" -> reads(argument, "coll", depth);
      case "$facet" -> facets(argument, depth);
      case "$out" -> writes(target(argument, "coll"), Action.INSERT, Action.REMOVE);
      case "$merge" -> merges(argument);
      case "$changeStream" -> changeStream(argument);
      default -> true;
    };
  }

  private boolean writes(Resource collection, Action... actions) {
    return all(grants, collection, actions) && mayBypass(grants, call, collection);
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

  /**
   * A collection by name, or as {@code {from: name}}, or as {@code {from: {db, coll}}}, and what a
   * pipeline of its own reads there and elsewhere.
   */
  private boolean reads(RawValue argument, String field, int depth) {
    if (!argument.isDocument()) {
      return reads(target(argument, field));
    }
    RawDocument options = argument.asDocument();
    RawValue from = last(options, field);
    RawValue pipeline = last(options, "pipeline");
    if (from == null) { // a pipeline with a source of its own, such as $documents
      return allowsSource(call.wholeDatabase(), pipeline) && allows(pipeline, depth + 1);
    }
    Resource source = target(from, "coll");
    String other = from.isDocument() ? null : text(last(options, "db"));
    if (other != null) {
      source = Resource.collection(other, String.valueOf(text(from)));
    }
    return reads(source)
        && (pipeline == null || allowsSource(source, pipeline) && allows(pipeline, depth + 1));
  }

  private boolean merges(RawValue argument) {
    RawValue into = argument.isDocument() ? last(argument.asDocument(), "into") : argument;
    if (into == null) {
      return true; // the stage refuses it
    }
    Resource target = target(into, "coll");
    RawValue pipeline = argument.isDocument() ? last(argument.asDocument(), "whenMatched") : null;
    return writes(target, Action.INSERT, Action.UPDATE)
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
    String other = text(last(value.asDocument(), "db"));
    String name = text(last(value.asDocument(), field));
    return name == null
        ? Resource.CLUSTER
        : Resource.collection(other == null ? database : other, name);
  }
}
