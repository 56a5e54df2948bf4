package dev.orrery.server.command.security;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Privilege;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.auth.RoleName;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** Roles and privileges as the commands on users and roles write them. */
final class RoleNames {
  private RoleNames() {}

  /** {@code ["read", {role: "readWrite", db: "other"}]}; a bare name is one of the database. */
  static List<RoleName> parse(String database, List<RawValue> values) {
    var names = new ArrayList<RoleName>();
    for (RawValue value : values) {
      names.add(parse(database, value));
    }
    return names;
  }

  static RoleName parse(String database, RawValue value) {
    if (value.type() == RawTypes.STRING) {
      return new RoleName(value.asString(), database);
    }
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "Role names must be either strings or objects");
    }
    var reader = CommandReader.of("roles", value.asDocument());
    return new RoleName(reader.requireString("role"), reader.requireString("db"));
  }

  static List<Privilege> privileges(String path, List<RawDocument> documents) {
    var privileges = new ArrayList<Privilege>();
    for (RawDocument document : documents) {
      var reader = CommandReader.of(path, document);
      Resource resource = resource(reader.object("resource"), path);
      var actions = EnumSet.noneOf(Action.class);
      for (RawValue name : reader.requireArray("actions")) {
        actions.add(action(name));
      }
      reader.finish();
      if (actions.isEmpty()) {
        throw new CommandException(
            ErrorCode.FAILED_TO_PARSE, "Privilege has no actions on its resource");
      }
      privileges.add(new Privilege(resource, actions));
    }
    return privileges;
  }

  private static Action action(RawValue name) {
    Action action = name.type() == RawTypes.STRING ? Action.find(name.asString()) : null;
    if (action == null) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "Unrecognized action privilege string: "
              + (name.type() == RawTypes.STRING ? name.asString() : ""));
    }
    return action;
  }

  private static Resource resource(CommandReader reader, String path) {
    if (reader == null) {
      throw FieldErrors.missing(path + ".resource");
    }
    if (reader.bool("cluster", false)) {
      reader.finish();
      return Resource.CLUSTER;
    }
    if (reader.bool("anyResource", false)) {
      reader.finish();
      return Resource.EVERYTHING;
    }
    String database = reader.requireString("db");
    String collection = reader.requireString("collection");
    reader.finish();
    return Resource.collection(database, collection);
  }
}
