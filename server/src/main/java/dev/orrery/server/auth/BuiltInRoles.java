package dev.orrery.server.auth;

import static dev.orrery.server.auth.Action.*;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The roles that MongoDB brings along, as far as there are commands for them: those of every
 * database, and those of {@code admin} that reach all databases or the server itself.
 */
final class BuiltInRoles {
  private static final String ADMIN = "admin";

  private static final Set<Action> READ =
      EnumSet.of(
          CHANGE_STREAM,
          COLL_STATS,
          DB_HASH,
          DB_STATS,
          FIND,
          KILL_CURSORS,
          LIST_COLLECTIONS,
          LIST_INDEXES,
          PLAN_CACHE_READ);
  private static final Set<Action> READ_WRITE =
      with(
          READ,
          CONVERT_TO_CAPPED,
          CREATE_COLLECTION,
          CREATE_INDEX,
          DROP_COLLECTION,
          DROP_INDEX,
          INSERT,
          REMOVE,
          RENAME_COLLECTION_SAME_DB,
          UPDATE);
  private static final Set<Action> DB_ADMIN =
      EnumSet.of(
          BYPASS_DOCUMENT_VALIDATION,
          COLL_MOD,
          COLL_STATS,
          COMPACT,
          CONVERT_TO_CAPPED,
          CREATE_COLLECTION,
          CREATE_INDEX,
          DB_STATS,
          DROP_COLLECTION,
          DROP_DATABASE,
          DROP_INDEX,
          ENABLE_PROFILER,
          INDEX_STATS,
          LIST_COLLECTIONS,
          LIST_INDEXES,
          PLAN_CACHE_INDEX_FILTER,
          PLAN_CACHE_READ,
          PLAN_CACHE_WRITE,
          RE_INDEX,
          RENAME_COLLECTION_SAME_DB,
          VALIDATE);
  private static final Set<Action> USER_ADMIN =
      EnumSet.of(
          CHANGE_CUSTOM_DATA,
          CHANGE_PASSWORD,
          CREATE_ROLE,
          CREATE_USER,
          DROP_ROLE,
          DROP_USER,
          GRANT_ROLE,
          REVOKE_ROLE,
          SET_AUTHENTICATION_RESTRICTION,
          VIEW_ROLE,
          VIEW_USER);
  private static final Set<Action> MONITOR =
      EnumSet.of(
          CONN_POOL_STATS,
          GET_CMD_LINE_OPTS,
          GET_DEFAULT_RW_CONCERN,
          GET_LOG,
          GET_CLUSTER_PARAMETER,
          GET_PARAMETER,
          HOST_INFO,
          INPROG,
          LIST_DATABASES,
          LIST_SESSIONS,
          LIST_SHARDS,
          REPL_SET_GET_CONFIG,
          REPL_SET_GET_STATUS,
          SERVER_STATUS,
          TOP,
          USE_UUID);
  private static final Set<Action> MANAGER =
      EnumSet.of(
          GET_DEFAULT_RW_CONCERN,
          LIST_SESSIONS,
          LIST_SHARDS,
          REPL_SET_CONFIGURE,
          REPL_SET_GET_CONFIG,
          REPL_SET_GET_STATUS,
          SET_DEFAULT_RW_CONCERN,
          SET_FEATURE_COMPATIBILITY_VERSION);
  private static final Set<Action> HOST =
      EnumSet.of(
          FSYNC,
          KILL_ANY_CURSOR,
          KILL_ANY_SESSION,
          KILL_OP,
          LOG_ROTATE,
          SET_CLUSTER_PARAMETER,
          SET_PARAMETER,
          SHUTDOWN,
          UNLOCK);
  private static final Set<Action> BACKUP =
      EnumSet.of(COLL_STATS, FIND, LIST_COLLECTIONS, LIST_INDEXES);
  private static final Set<Action> RESTORE =
      with(
          USER_ADMIN,
          BYPASS_DOCUMENT_VALIDATION,
          COLL_MOD,
          CONVERT_TO_CAPPED,
          CREATE_COLLECTION,
          CREATE_INDEX,
          DROP_COLLECTION,
          INSERT,
          LIST_COLLECTIONS);

  /** By name, what a role of a database allows there. */
  private static final Map<String, Function<String, List<Privilege>>> OF_DATABASES =
      Map.of(
          "dbAdmin", BuiltInRoles::dbAdmin,
          "dbOwner", BuiltInRoles::dbOwner,
          "enableSharding", database -> on(database, EnumSet.of(ENABLE_SHARDING)),
          "read", database -> withSystem(database, READ, "system.js"),
          "readWrite", database -> withSystem(database, READ_WRITE, "system.js"),
          "userAdmin", database -> on(database, USER_ADMIN));

  private static final Map<String, List<Privilege>> OF_ADMIN = ofAdmin();

  private BuiltInRoles() {}

  /** The built-in role of that name, or null when there is none. */
  static @Nullable Role find(RoleName name) {
    var ofDatabase = OF_DATABASES.get(name.role());
    if (ofDatabase != null) {
      return new Role(name, ofDatabase.apply(name.database()), List.of(), true);
    }
    List<Privilege> privileges = name.database().equals(ADMIN) ? OF_ADMIN.get(name.role()) : null;
    return privileges == null ? null : new Role(name, privileges, List.of(), true);
  }

  /** The built-in roles that a database has, by name. */
  static List<Role> in(String database) {
    var names = new TreeMap<String, Role>();
    OF_DATABASES.keySet().forEach(role -> names.put(role, find(new RoleName(role, database))));
    if (database.equals(ADMIN)) {
      OF_ADMIN.keySet().forEach(role -> names.put(role, find(new RoleName(role, database))));
    }
    return List.copyOf(names.values());
  }

  private static List<Privilege> dbAdmin(String database) {
    return withSystem(database, DB_ADMIN, "system.profile");
  }

  private static List<Privilege> dbOwner(String database) {
    var all = new ArrayList<>(withSystem(database, READ_WRITE, "system.js"));
    all.addAll(dbAdmin(database));
    all.addAll(on(database, USER_ADMIN));
    return all;
  }

  private static Map<String, List<Privilege>> ofAdmin() {
    var listDatabases = cluster(EnumSet.of(LIST_DATABASES));
    var readAny = join(withSystem("", READ, "system.js"), listDatabases);
    var readWriteAny = join(withSystem("", READ_WRITE, "system.js"), listDatabases);
    var dbAdminAny = join(dbAdmin(""), listDatabases);
    var userAdminAny =
        join(on("", USER_ADMIN), on("config", USER_ADMIN), on("local", USER_ADMIN), listDatabases);
    var readServersOwn = join(on("config", READ), on("local", READ));
    var monitor =
        join(
            cluster(MONITOR),
            on("", EnumSet.of(COLL_STATS, DB_STATS, INDEX_STATS)),
            readServersOwn,
            List.of(Privilege.of(Resource.collection("", "system.profile"), EnumSet.of(FIND))));
    var manager =
        join(
            cluster(MANAGER),
            on("", EnumSet.of(ENABLE_SHARDING, SPLIT_CHUNK)),
            readServersOwn,
            on("config", EnumSet.of(INSERT, REMOVE, UPDATE)));
    var host = join(cluster(HOST), on("", EnumSet.of(KILL_CURSORS)));
    var clusterAdmin = join(monitor, manager, host, on("", EnumSet.of(DROP_DATABASE)));
    var backup =
        join(
            withSystem("", BACKUP, "system.js"),
            on("config", BACKUP),
            on("local", BACKUP),
            listDatabases);
    var restore = join(on("", RESTORE), on("config", RESTORE), on("local", RESTORE), listDatabases);
    return Map.ofEntries(
        Map.entry("__system", List.of(Privilege.of(Resource.EVERYTHING, EnumSet.of(ANY_ACTION)))),
        Map.entry("backup", backup),
        Map.entry("clusterAdmin", clusterAdmin),
        Map.entry("clusterManager", manager),
        Map.entry("clusterMonitor", monitor),
        Map.entry("dbAdminAnyDatabase", dbAdminAny),
        Map.entry("hostManager", host),
        Map.entry("readAnyDatabase", readAny),
        Map.entry("readWriteAnyDatabase", readWriteAny),
        Map.entry("restore", restore),
        Map.entry(
            "root", join(readWriteAny, dbAdminAny, userAdminAny, clusterAdmin, backup, restore)),
        Map.entry("userAdminAnyDatabase", userAdminAny));
  }

  private static List<Privilege> on(String database, Set<Action> actions) {
    return List.of(Privilege.of(Resource.database(database), actions));
  }

  private static List<Privilege> withSystem(
      String database, Set<Action> actions, String systemCollection) {
    return List.of(
        Privilege.of(Resource.database(database), actions),
        Privilege.of(Resource.collection(database, systemCollection), with(actions, FIND)));
  }

  private static List<Privilege> cluster(Set<Action> actions) {
    return List.of(Privilege.of(Resource.CLUSTER, actions));
  }

  private static Set<Action> with(Set<Action> some, Action... more) {
    var all = EnumSet.copyOf(some);
    all.addAll(List.of(more));
    return all;
  }

  @SafeVarargs
  private static List<Privilege> join(List<Privilege>... lists) {
    var all = new ArrayList<Privilege>();
    for (List<Privilege> list : lists) {
      all.addAll(list);
    }
    return List.copyOf(all);
  }
}
