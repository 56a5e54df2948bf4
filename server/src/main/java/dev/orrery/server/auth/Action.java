package dev.orrery.server.auth;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a privilege allows, in MongoDB's words: {@code find}, {@code createIndex}, ... */
public enum Action {
  ANY_ACTION("anyAction"),
  BYPASS_DOCUMENT_VALIDATION("bypassDocumentValidation"),
  CHANGE_CUSTOM_DATA("changeCustomData"),
  CHANGE_OWN_CUSTOM_DATA("changeOwnCustomData"),
  CHANGE_OWN_PASSWORD("changeOwnPassword"),
  CHANGE_PASSWORD("changePassword"),
  CHANGE_STREAM("changeStream"),
  COLL_MOD("collMod"),
  COLL_STATS("collStats"),
  COMPACT("compact"),
  CONN_POOL_STATS("connPoolStats"),
  CONVERT_TO_CAPPED("convertToCapped"),
  CREATE_COLLECTION("createCollection"),
  CREATE_INDEX("createIndex"),
  CREATE_ROLE("createRole"),
  CREATE_USER("createUser"),
  DB_HASH("dbHash"),
  DB_STATS("dbStats"),
  DROP_COLLECTION("dropCollection"),
  DROP_DATABASE("dropDatabase"),
  DROP_INDEX("dropIndex"),
  DROP_ROLE("dropRole"),
  DROP_USER("dropUser"),
  ENABLE_PROFILER("enableProfiler"),
  ENABLE_SHARDING("enableSharding"),
  FIND("find"),
  FSYNC("fsync"),
  GET_CLUSTER_PARAMETER("getClusterParameter"),
  GET_CMD_LINE_OPTS("getCmdLineOpts"),
  GET_DEFAULT_RW_CONCERN("getDefaultRWConcern"),
  GET_LOG("getLog"),
  GET_PARAMETER("getParameter"),
  GRANT_ROLE("grantRole"),
  HOST_INFO("hostInfo"),
  INDEX_STATS("indexStats"),
  INPROG("inprog"),
  INSERT("insert"),
  KILL_ANY_CURSOR("killAnyCursor"),
  KILL_ANY_SESSION("killAnySession"),
  KILL_CURSORS("killCursors"),
  KILL_OP("killop"),
  LIST_COLLECTIONS("listCollections"),
  LIST_DATABASES("listDatabases"),
  LIST_INDEXES("listIndexes"),
  LIST_SESSIONS("listSessions"),
  LIST_SHARDS("listShards"),
  LOG_ROTATE("logRotate"),
  PLAN_CACHE_INDEX_FILTER("planCacheIndexFilter"),
  PLAN_CACHE_READ("planCacheRead"),
  PLAN_CACHE_WRITE("planCacheWrite"),
  RE_INDEX("reIndex"),
  REMOVE("remove"),
  RENAME_COLLECTION_SAME_DB("renameCollectionSameDB"),
  REPL_SET_CONFIGURE("replSetConfigure"),
  REPL_SET_GET_CONFIG("replSetGetConfig"),
  REPL_SET_GET_STATUS("replSetGetStatus"),
  REVOKE_ROLE("revokeRole"),
  SERVER_STATUS("serverStatus"),
  SET_AUTHENTICATION_RESTRICTION("setAuthenticationRestriction"),
  SET_CLUSTER_PARAMETER("setClusterParameter"),
  SET_DEFAULT_RW_CONCERN("setDefaultRWConcern"),
  SET_FEATURE_COMPATIBILITY_VERSION("setFeatureCompatibilityVersion"),
  SET_PARAMETER("setParameter"),
  SHUTDOWN("shutdown"),
  SPLIT_CHUNK("splitChunk"),
  TOP("top"),
  UNLOCK("unlock"),
  UPDATE("update"),
  USE_UUID("useUUID"),
  VALIDATE("validate"),
  VIEW_ROLE("viewRole"),
  VIEW_USER("viewUser");

  private static final Map<String, Action> BY_NAME = byName();

  private final String wireName;

  Action(String wireName) {
    this.wireName = wireName;
  }

  private static Map<String, Action> byName() {
    var map = new HashMap<String, Action>();
    Arrays.stream(values()).forEach(action -> map.put(action.wireName, action));
    return map;
  }

  public String wireName() {
    return wireName;
  }

  /** The action of that name, or null when there is none. */
  public static @Nullable Action find(String name) {
    return BY_NAME.get(name);
  }
}
