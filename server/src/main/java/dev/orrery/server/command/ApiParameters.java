package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command.Trait;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Map;
import java.util.Set;

/** The Stable API that a client asked for; version null when it asked for none. */
record ApiParameters(String version, boolean isStrict, boolean refusesDeprecated) {
  static final ApiParameters NONE = new ApiParameters(null, false, false);

  /** Fields of commands in the version that are not in it themselves. */
  private static final Map<String, Set<String>> UNSTABLE_FIELDS =
      Map.of(
          "aggregate",
          Set.of("exchange", "fromMongos", "isMapReduceCommand", "needsMerge", "collectionUUID"),
          "create",
          Set.of("autoIndexId", "capped", "indexOptionDefaults", "max", "size", "storageEngine"),
          "find",
          Set.of(
              "allowPartialResults",
              "awaitData",
              "max",
              "min",
              "noCursorTimeout",
              "oplogReplay",
              "readOnce",
              "returnKey",
              "showRecordId",
              "tailable",
              "term"),
          "listIndexes",
          Set.of("includeBuildUUIDs", "includeIndexBuildInfo"));

  private static final String PATH = "APIParametersFromClient.";

  /** Values as they came, null for a missing one. */
  static ApiParameters parse(RawValue version, RawValue strict, RawValue deprecationErrors) {
    if (version == null) {
      if (strict != null || deprecationErrors != null) {
        throw new CommandException(
            ErrorCode.LOCATION_4886600,
            "Provided apiStrict and/or apiDeprecationErrors without passing apiVersion");
      }
      return NONE;
    }
    if (version.type() != RawTypes.STRING) {
      throw FieldErrors.wrongType(PATH + "apiVersion", version.type(), "string");
    }
    if (!version.asString().equals("1")) {
      throw new CommandException(
          ErrorCode.API_VERSION_ERROR, "Cannot accept API version " + version.asString());
    }
    return new ApiParameters(
        version.asString(),
        bool("apiStrict", strict),
        bool("apiDeprecationErrors", deprecationErrors));
  }

  /** As messages show them. */
  String text() {
    if (version == null) {
      return "{}";
    }
    return "{ apiVersion: \"%s\"%s%s }"
        .formatted(
            version,
            isStrict ? ", apiStrict: true" : "",
            refusesDeprecated ? ", apiDeprecationErrors: true" : "");
  }

  private static boolean bool(String name, RawValue value) {
    if (value == null) {
      return false;
    }
    if (value.type() != RawTypes.BOOLEAN) {
      throw FieldErrors.wrongType(PATH + name, value.type(), "bool");
    }
    return value.asBoolean();
  }

  /** Refuses what is not in the version, if the client wants nothing else. */
  void requireAllowed(Command.Spec spec, CommandReader body) {
    if (!isStrict) {
      return;
    }
    if (!spec.has(Trait.STABLE_API)) {
      throw new CommandException(
          ErrorCode.API_STRICT_ERROR,
          ("Provided apiStrict:true, but the command %s is not in API Version %s. Information on"
                  + " supported commands and migrations in API Version %s can be found at"
                  + " https://dochub.mongodb.org/core/manual-versioned-api")
              .formatted(spec.name(), version, version));
    }
    Set<String> unstable = UNSTABLE_FIELDS.getOrDefault(spec.name(), Set.of());
    for (int i = 0; i < body.size(); i++) {
      if (unstable.contains(body.nameAt(i))) {
        throw new CommandException(
            ErrorCode.API_STRICT_ERROR,
            "BSON field '%s.%s' is not allowed with apiStrict:true."
                .formatted(spec.fieldsOf(), body.nameAt(i)));
      }
    }
  }
}
