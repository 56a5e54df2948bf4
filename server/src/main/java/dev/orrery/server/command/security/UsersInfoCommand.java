package dev.orrery.server.command.security;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterParser;
import dev.orrery.server.auth.Grants;
import dev.orrery.server.auth.Privilege;
import dev.orrery.server.auth.RoleName;
import dev.orrery.server.auth.Security;
import dev.orrery.server.auth.User;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** {@code usersInfo}: one user, several, those of the database, or all. */
final class UsersInfoCommand implements Command {
  private final Security security;

  UsersInfoCommand(Security security) {
    this.security = security;
  }

  @Override
  public Spec spec() {
    return Spec.of("usersInfo", Access.READ);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    RawValue which = body.value("usersInfo");
    boolean showsCredentials = body.safeBool("showCredentials", false);
    boolean showsPrivileges = body.safeBool("showPrivileges", false);
    boolean showsCustomData = body.safeBool("showCustomData", true);
    RawDocument given = body.rawDocument("filter");
    boolean showsRestrictions = body.safeBool("showAuthenticationRestrictions", false);
    body.finish();
    Predicate<UserName> named = named(context.database(), which);
    Filter filter = FilterParser.parse(given == null ? RawDocument.EMPTY : given);
    var users = new BsonArray();
    for (User user : security.accounts().users()) {
      if (named.test(user.name())) {
        BsonDocument document = describe(user, showsCredentials, showsCustomData);
        if (showsRestrictions) {
          document.append("authenticationRestrictions", user.restrictions().document());
        }
        if (showsPrivileges) {
          addPrivileges(document, user);
        }
        if (filter.matches(RawDocument.of(document))) {
          users.add(document);
        }
      }
    }
    return new BsonDocument("users", users);
  }

  /** The users that the command's own field means. */
  static Predicate<UserName> named(String database, RawValue which) {
    if (which.type() == RawTypes.STRING) {
      return new UserName(which.asString(), database)::equals;
    }
    if (which.isNumber()) {
      return name -> name.database().equals(database);
    }
    if (which.isArray()) {
      List<Predicate<UserName>> all =
          which.asDocument().toValues().stream().map(each -> named(database, each)).toList();
      return name -> all.stream().anyMatch(each -> each.test(name));
    }
    if (!which.isDocument()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "User and role names must be either strings or objects");
    }
    var reader = CommandReader.of("usersInfo", which.asDocument());
    if (reader.bool("forAllDBs", false)) {
      return name -> true;
    }
    return new UserName(reader.requireString("user"), reader.requireString("db"))::equals;
  }

  private static BsonDocument describe(
      User user, boolean showsCredentials, boolean showsCustomData) {
    UserName name = user.name();
    var document =
        new BsonDocument("_id", new BsonString(name.database() + "." + name.user()))
            .append("userId", user.idToBson())
            .append("user", new BsonString(name.user()))
            .append("db", new BsonString(name.database()));
    if (showsCredentials) {
      document.append("credentials", user.credentials().toBson());
    }
    if (showsCustomData && user.customData() != null) {
      document.append("customData", user.customData());
    }
    var mechanisms = new BsonArray();
    user.credentials().mechanisms().stream()
        .sorted()
        .forEach(each -> mechanisms.add(new BsonString(each.wireName())));
    return document.append("roles", RoleName.toBson(user.roles())).append("mechanisms", mechanisms);
  }

  private void addPrivileges(BsonDocument document, User user) {
    Grants grants = security.accounts().grantsOf(user.roles());
    document
        .append("inheritedRoles", RoleName.toBson(grants.roles()))
        .append("inheritedPrivileges", Privilege.toBson(grants.privileges()))
        .append("inheritedAuthenticationRestrictions", new BsonArray());
  }
}
