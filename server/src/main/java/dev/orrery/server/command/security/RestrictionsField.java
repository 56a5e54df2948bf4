package dev.orrery.server.command.security;

import dev.orrery.server.auth.Restrictions;
import dev.orrery.server.command.CommandReader;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The field {@code authenticationRestrictions} of commands about users. */
final class RestrictionsField {
  private static final String NAME = "authenticationRestrictions";

  private RestrictionsField() {}

  /** What it says, or null without it. */
  static @Nullable Restrictions parse(CommandReader body) {
    body.array(NAME); // refuses what is none
    BsonValue value = body.bsonValue(NAME);
    return value == null || value.isNull() ? null : Restrictions.parse(value.asArray());
  }
}
