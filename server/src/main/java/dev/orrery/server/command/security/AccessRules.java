package dev.orrery.server.command.security;

import static java.util.Map.entry;

import dev.orrery.language.expression.Truth;
import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Grants;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.Command.Trait;
import dev.orrery.server.command.RawNumbers;
import dev.orrery.server.command.Request;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which privileges each command needs. A command that has no rule here needs what its access says:
 * to read or write the collection it names, or to administer its database or the server.
 */
final class AccessRules {
  /** What a caller wants to run, and who that is. */
  record Call(Command.Spec spec, String database, Request request, UserName user) {
    RawDocument body() {
      return request.body();
    }

    /** The value of the command's own field; null for an empty command. */
    @Nullable RawValue target() {
      RawElements first = body().elements();
      return first.next() ? first.value() : null;
    }

    /** The text of a field, or null when it is missing or something else. */
    @Nullable String text(String field) {
      return AccessRules.text(body().field(field));
    }

    /** The collection that the command names, else its database. */
    Resource collection() {
      String name = AccessRules.text(target());
      return name == null ? Resource.database(database) : Resource.collection(database, name);
    }

    Resource wholeDatabase() {
      return Resource.database(database);
    }

    Call on(Command.Spec other, RawDocument body) {
      return new Call(
          other, database, Request.message(request.connection(), body, request.sequences()), user);
    }
  }

  /** Whether somebody with those privileges may make that call. */
  @FunctionalInterface
  interface Rule {
    boolean allows(Grants grants, Call call);
  }

  private static final byte[] BYPASS = "bypassDocumentValidation".getBytes(StandardCharsets.UTF_8);

  /** Commands that are harmless, but not for strangers: they make the server remember things. */
  private static final Set<String> FOR_ALL_USERS =
      Set.of(
          "abortTransaction",
          "commitTransaction",
          "endRequestUnitScope", // their own
          "features",
          "getLastRequestStatistics",
          "getMore", // a cursor belongs to who opened it
          "killCursors",
          "killOp", // their own, without the right to kill those of others
          "killSessions", // their own
          "listCommands",
          "listDatabases", // shows what they may see
          "refreshSessions",
          "startRequestUnitScope", // of what others spend with the right to see it
          "startSession");

  /** Old spellings of what can be explained; other commands come by their own name. */
  private static final Map<String, String> ALIASES =
      Map.of("findandmodify", "findAndModify", "mapreduce", "mapReduce");

  private static final Map<String, Rule> RULES =
      Map.ofEntries( // sorted
          entry("aggregate", PipelineAccess::aggregate),
          entry("balancerStatus", onNamespace(Action.FIND, "config.settings")),
          entry("changeFeedInfo", onCluster(Action.SERVER_STATUS)),
          entry("clearFaults", onCluster(Action.SET_PARAMETER)),
          entry("cloneCollectionAsCapped", AccessRules::cloneAsCapped),
          entry("collMod", PipelineAccess::collMod),
          entry("collStats", onCollection(Action.COLL_STATS)),
          entry("compact", onCollection(Action.COMPACT)),
          entry("configureFailPoint", onCluster(Action.SET_PARAMETER)),
          entry("connPoolStats", onCluster(Action.CONN_POOL_STATS)),
          entry("convertToCapped", onCollection(Action.CONVERT_TO_CAPPED)),
          entry("create", PipelineAccess::create),
          entry("createIndexes", onCollection(Action.CREATE_INDEX)),
          entry("createRole", AccountRules::createRole),
          entry("createUser", AccountRules::createUser),
          entry("currentOp", AccessRules::currentOp),
          entry("customAction", AccessRules::customAction),
          entry("dataSize", onNamespace(Action.FIND)),
          entry("dbHash", onDatabase(Action.DB_HASH)),
          entry("dbStats", onDatabase(Action.DB_STATS)),
          entry("delete", onCollection(Action.REMOVE)),
          entry("drop", onCollection(Action.DROP_COLLECTION)),
          entry("dropAllRolesFromDatabase", onDatabase(Action.DROP_ROLE)),
          entry("dropAllUsersFromDatabase", onDatabase(Action.DROP_USER)),
          entry("dropDatabase", onDatabase(Action.DROP_DATABASE)),
          entry("dropIndexes", onCollection(Action.DROP_INDEX)),
          entry("dropRole", onDatabase(Action.DROP_ROLE)),
          entry("dropUser", onDatabase(Action.DROP_USER)),
          entry("enableSharding", AccessRules::enableSharding),
          entry("explain", AccessRules::explain),
          entry("filemd5", AccessRules::fileMd5),
          entry("findAndModify", AccessRules::findAndModify),
          entry("fsync", onCluster(Action.FSYNC)),
          entry("fsyncUnlock", onCluster(Action.UNLOCK)),
          entry("getClusterParameter", onCluster(Action.GET_CLUSTER_PARAMETER)),
          entry("getCmdLineOpts", onCluster(Action.GET_CMD_LINE_OPTS)),
          entry("getDefaultRWConcern", onCluster(Action.GET_DEFAULT_RW_CONCERN)),
          entry("getLog", onCluster(Action.GET_LOG)),
          entry("getParameter", onCluster(Action.GET_PARAMETER)),
          entry("grantPrivilegesToRole", AccountRules::grantPrivileges),
          entry("grantRolesToRole", AccountRules::grantRoles),
          entry("grantRolesToUser", AccountRules::grantRoles),
          entry("hostInfo", onCluster(Action.HOST_INFO)),
          entry("injectFault", onCluster(Action.SET_PARAMETER)),
          entry("insert", AccessRules::insert),
          entry("killAllSessions", onCluster(Action.KILL_ANY_SESSION)),
          entry("killAllSessionsByPattern", onCluster(Action.KILL_ANY_SESSION)),
          entry("listCollections", AccessRules::listCollections),
          entry("listFaults", onCluster(Action.SET_PARAMETER)),
          entry("listIndexes", onCollection(Action.LIST_INDEXES)),
          entry("listShards", onCluster(Action.LIST_SHARDS)),
          entry("lockInfo", onCluster(Action.SERVER_STATUS)),
          entry("logRotate", onCluster(Action.LOG_ROTATE)),
          entry("planCacheClear", onCollection(Action.PLAN_CACHE_WRITE)),
          entry("planCacheClearFilters", onCollection(Action.PLAN_CACHE_INDEX_FILTER)),
          entry("planCacheListFilters", onCollection(Action.PLAN_CACHE_INDEX_FILTER)),
          entry("planCacheSetFilter", onCollection(Action.PLAN_CACHE_INDEX_FILTER)),
          entry("prepareTransaction", (grants, call) -> false), // between servers
          entry("profile", AccessRules::profile),
          entry("reIndex", onCollection(Action.RE_INDEX)),
          entry("recordWorkload", AccessRules::recordWorkload),
          entry("renameCollection", AccessRules::renameCollection),
          entry("replSetGetConfig", onCluster(Action.REPL_SET_GET_CONFIG)),
          entry("replSetGetStatus", onCluster(Action.REPL_SET_GET_STATUS)),
          entry("replSetInitiate", onCluster(Action.REPL_SET_CONFIGURE)),
          entry("revokePrivilegesFromRole", AccountRules::revokePrivileges),
          entry("revokeRolesFromRole", AccountRules::revokeRoles),
          entry("revokeRolesFromUser", AccountRules::revokeRoles),
          entry("rolesInfo", AccountRules::rolesInfo),
          entry("ruStatistics", AccessRules::ruStatistics),
          entry("serverStatus", onCluster(Action.SERVER_STATUS)),
          entry("setClusterParameter", onCluster(Action.SET_CLUSTER_PARAMETER)),
          entry("setDefaultRWConcern", onCluster(Action.SET_DEFAULT_RW_CONCERN)),
          entry(
              "setFeatureCompatibilityVersion",
              onCluster(Action.SET_FEATURE_COMPATIBILITY_VERSION)),
          entry("setParameter", onCluster(Action.SET_PARAMETER)),
          entry("shardCollection", onNamespace(Action.ENABLE_SHARDING)),
          entry("shutdown", onCluster(Action.SHUTDOWN)),
          entry("top", onCluster(Action.TOP)),
          entry("update", AccessRules::update),
          entry("updateRole", AccountRules::updateRole),
          entry("updateUser", AccountRules::updateUser),
          entry("usersInfo", AccountRules::usersInfo),
          entry("validate", onCollection(Action.VALIDATE)));

  /** Reached only by privileges on whatever database there is. */
  private static final Resource EVERY_DATABASE = Resource.database("");

  private AccessRules() {}

  /** Whether an anonymous command is meant for users all the same. */
  static boolean needsLogin(String command) {
    return FOR_ALL_USERS.contains(command);
  }

  static boolean allow(Grants grants, Call call) {
    String name = call.spec.name();
    if (FOR_ALL_USERS.contains(name)) {
      return true;
    }
    Rule rule = RULES.get(name);
    return rule == null ? byAccess(grants, call) : rule.allows(grants, call);
  }

  private static boolean byAccess(Grants grants, Call call) {
    boolean isServer = call.spec.has(Trait.ADMIN_DATABASE);
    return switch (call.spec.access()) {
      case ANONYMOUS -> true;
      case READ ->
          isServer
              ? grants.allows(Action.SERVER_STATUS, Resource.CLUSTER)
              : grants.allows(Action.FIND, call.collection());
      case WRITE ->
          isServer
              ? grants.allows(Action.SET_PARAMETER, Resource.CLUSTER)
              : all(grants, call.collection(), Action.INSERT, Action.UPDATE, Action.REMOVE);
      case ADMIN ->
          isServer
              ? grants.allows(Action.SET_PARAMETER, Resource.CLUSTER)
              : all(grants, call.wholeDatabase(), Action.COLL_MOD, Action.DROP_COLLECTION);
    };
  }

  private static Rule onCluster(Action action) {
    return (grants, call) -> grants.allows(action, Resource.CLUSTER);
  }

  private static Rule onDatabase(Action action) {
    return (grants, call) -> grants.allows(action, call.wholeDatabase());
  }

  private static Rule onCollection(Action action) {
    return (grants, call) -> grants.allows(action, call.collection());
  }

  /** For commands that read a collection they do not name. */
  private static Rule onNamespace(Action action, String namespace) {
    return (grants, call) -> grants.allows(action, namespace(namespace));
  }

  /** For commands whose own field is {@code database.collection}. */
  private static Rule onNamespace(Action action) {
    return (grants, call) -> grants.allows(action, namespace(text(call.target())));
  }

  /** {@code database.collection} as a resource; nothing that exists when it is no such text. */
  static Resource namespace(@Nullable String text) {
    int dot = text == null ? -1 : text.indexOf('.');
    return dot <= 0
        ? Resource.CLUSTER // holds no action that is asked for here
        : Resource.collection(text.substring(0, dot), text.substring(dot + 1));
  }

  static boolean all(Grants grants, Resource resource, Action... actions) {
    return Arrays.stream(actions).allMatch(action -> grants.allows(action, resource));
  }

  static @Nullable String text(@Nullable RawValue value) {
    return value != null && value.type() == RawTypes.STRING ? value.asString() : null;
  }

  static boolean isTrue(@Nullable RawValue value) {
    if (value == null) {
      return false;
    }
    boolean isFlag = value.type() == RawTypes.BOOLEAN || value.isNumber();
    return isFlag && Truth.isTrue(value.toBsonValue());
  }

  /** Writing what a validator would refuse is a right of its own. */
  static boolean mayBypass(Grants grants, Call call, Resource collection) {
    return !isTrue(call.body().field(BYPASS))
        || grants.allows(Action.BYPASS_DOCUMENT_VALIDATION, collection);
  }

  private static boolean insert(Grants grants, Call call) {
    Resource collection = call.collection();
    return grants.allows(Action.INSERT, collection) && mayBypass(grants, call, collection);
  }

  /** An update, and an insert where one of them may be an upsert. */
  private static boolean update(Grants grants, Call call) {
    Resource collection = call.collection();
    RawValue inline = call.body().field("updates");
    boolean upserts =
        call.request.sequences().stream()
            .flatMap(sequence -> sequence.documents().stream())
            .anyMatch(update -> isTrue(update.field("upsert")));
    if (inline != null && inline.isArray()) {
      upserts |=
          inline.asDocument().toValues().stream()
              .anyMatch(each -> each.isDocument() && isTrue(each.asDocument().field("upsert")));
    }
    return grants.allows(Action.UPDATE, collection)
        && (!upserts || grants.allows(Action.INSERT, collection))
        && mayBypass(grants, call, collection);
  }

  private static boolean findAndModify(Grants grants, Call call) {
    Resource collection = call.collection();
    boolean removes = isTrue(call.body().field("remove"));
    boolean upserts = isTrue(call.body().field("upsert"));
    return grants.allows(Action.FIND, collection)
        && grants.allows(removes ? Action.REMOVE : Action.UPDATE, collection)
        && (!upserts || grants.allows(Action.INSERT, collection))
        && mayBypass(grants, call, collection);
  }

  /** Names alone, of what they may do something with, are shown to all who may do anything. */
  private static boolean listCollections(Grants grants, Call call) {
    boolean isPart =
        isTrue(call.body().field("nameOnly")) && isTrue(call.body().field("authorizedCollections"));
    return grants.allows(Action.LIST_COLLECTIONS, call.wholeDatabase())
        || isPart && grants.reaches(call.database);
  }

  /** Whoever may read the profile may also know how it is set. */
  private static boolean profile(Grants grants, Call call) {
    RawValue level = call.target();
    boolean looksOnly =
        level != null
            && level.isNumber()
            && RawNumbers.toLong(level) < 0
            && Stream.of("slowms", "sampleRate", "filter")
                .allMatch(field -> call.body().field(field) == null);
    return grants.allows(Action.ENABLE_PROFILER, call.wholeDatabase())
        || looksOnly
            && grants.allows(Action.FIND, Resource.collection(call.database, "system.profile"));
  }

  /** A workload has what everybody asked and wrote. */
  private static boolean recordWorkload(Grants grants, Call call) {
    return grants.allows(Action.INPROG, Resource.CLUSTER)
        && grants.allows(Action.FIND, EVERY_DATABASE);
  }

  /** Of a database each user sees their part. */
  private static boolean ruStatistics(Grants grants, Call call) {
    return text(call.target()) == null
        ? grants.reaches(call.database) || grants.allows(Action.INPROG, Resource.CLUSTER)
        : grants.allows(Action.FIND, call.collection());
  }

  /** What others do is for those who may know; their own operations are shown to all users. */
  private static boolean currentOp(Grants grants, Call call) {
    return isTrue(call.body().field("$ownOps")) || grants.allows(Action.INPROG, Resource.CLUSTER);
  }

  private static boolean fileMd5(Grants grants, Call call) {
    String root = call.text("root");
    var chunks = Resource.collection(call.database, (root == null ? "fs" : root) + ".chunks");
    return grants.allows(Action.FIND, chunks);
  }

  private static boolean cloneAsCapped(Grants grants, Call call) {
    String to = call.text("toCollection");
    return to != null
        && grants.allows(Action.FIND, call.collection())
        && all(
            grants,
            Resource.collection(call.database, to),
            Action.INSERT,
            Action.CREATE_INDEX,
            Action.CONVERT_TO_CAPPED);
  }

  /**
   * Inside a database a right of its own, unless documents would become readable by it; else what
   * moving them by hand takes.
   */
  private static boolean renameCollection(Grants grants, Call call) {
    Resource from = namespace(text(call.target()));
    Resource to = namespace(call.text("to"));
    boolean drops = isTrue(call.body().field("dropTarget"));
    boolean isHere =
        from.database().equals(to.database())
            && all(grants, from, Action.RENAME_COLLECTION_SAME_DB)
            && all(grants, to, Action.RENAME_COLLECTION_SAME_DB)
            && (grants.allows(Action.FIND, from) || !grants.allows(Action.FIND, to));
    boolean isMove =
        all(grants, from, Action.FIND, Action.DROP_COLLECTION)
            && all(grants, to, Action.INSERT, Action.CREATE_INDEX);
    return (isHere || isMove) && (!drops || grants.allows(Action.DROP_COLLECTION, to));
  }

  private static boolean enableSharding(Grants grants, Call call) {
    String database = text(call.target());
    return database != null && grants.allows(Action.ENABLE_SHARDING, Resource.database(database));
  }

  /** Cosmos DB's actions on databases and collections. */
  private static boolean customAction(Grants grants, Call call) {
    String action = text(call.target());
    String name = call.text("collection");
    Resource target =
        name == null ? call.wholeDatabase() : Resource.collection(call.database, name);
    if (action != null && action.startsWith("Get")) {
      return grants.allows(name == null ? Action.DB_STATS : Action.COLL_STATS, target);
    }
    boolean creates = action != null && action.startsWith("Create");
    return grants.allows(creates ? Action.CREATE_COLLECTION : Action.COLL_MOD, target);
  }

  /** What the explained command needs. */
  private static boolean explain(Grants grants, Call call) {
    RawValue inner = call.target();
    if (inner == null || !inner.isDocument()) {
      return grants.allows(Action.FIND, call.wholeDatabase());
    }
    RawElements first = inner.asDocument().elements();
    if (!first.next()) {
      return grants.allows(Action.FIND, call.wholeDatabase());
    }
    // What is not known to be a write is explained to those who may read.
    String name = ALIASES.getOrDefault(first.name(), first.name());
    var spec = Command.Spec.of(name, Command.Access.READ);
    return !name.equals("explain") && allow(grants, call.on(spec, inner.asDocument()));
  }
}
