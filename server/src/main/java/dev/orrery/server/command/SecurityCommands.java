package dev.orrery.server.command;

import dev.orrery.server.auth.Security;
import java.util.List;

/** The commands that say who somebody is and what they may do. */
final class SecurityCommands {
  private SecurityCommands() {}

  static List<Command> list(Security security) {
    return List.of( // sorted by command name
        new AuthenticateCommand(security.logins()),
        new ConnectionStatusCommand(security),
        new CreateRoleCommand(security),
        new CreateUserCommand(security),
        new DropAllRolesFromDatabaseCommand(security),
        new DropAllUsersFromDatabaseCommand(security),
        new DropRoleCommand(security),
        new DropUserCommand(security),
        RolePrivilegesCommand.grant(security),
        RoleRolesCommand.grant(security),
        UserRolesCommand.grant(security),
        new LogoutCommand(),
        RolePrivilegesCommand.revoke(security),
        RoleRolesCommand.revoke(security),
        UserRolesCommand.revoke(security),
        new RolesInfoCommand(security),
        new SaslContinueCommand(security.logins()),
        new SaslStartCommand(security.logins()),
        new UpdateRoleCommand(security),
        new UpdateUserCommand(security),
        new UsersInfoCommand(security));
  }
}
