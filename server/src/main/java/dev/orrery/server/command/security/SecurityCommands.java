package dev.orrery.server.command.security;

import dev.orrery.server.auth.Security;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.security.GrantCommand.Effect;
import java.util.List;

/** The commands that say who somebody is and what they may do. */
public final class SecurityCommands {
  private SecurityCommands() {}

  public static List<Command> list(Security security) {
    return List.of( // sorted by command name
        new AuthenticateCommand(security.logins()),
        new ConnectionStatusCommand(security),
        new CreateRoleCommand(security),
        new CreateUserCommand(security),
        new DropAllRolesFromDatabaseCommand(security),
        new DropAllUsersFromDatabaseCommand(security),
        new DropRoleCommand(security),
        new DropUserCommand(security),
        GrantCommand.privilegesOfRole("grantPrivilegesToRole", Effect.GRANT, security),
        GrantCommand.rolesOfRole("grantRolesToRole", Effect.GRANT, security),
        GrantCommand.rolesOfUser("grantRolesToUser", Effect.GRANT, security),
        new LogoutCommand(),
        GrantCommand.privilegesOfRole("revokePrivilegesFromRole", Effect.REVOKE, security),
        GrantCommand.rolesOfRole("revokeRolesFromRole", Effect.REVOKE, security),
        GrantCommand.rolesOfUser("revokeRolesFromUser", Effect.REVOKE, security),
        new RolesInfoCommand(security),
        new SaslContinueCommand(security.logins()),
        new SaslStartCommand(security.logins()),
        new UpdateRoleCommand(security),
        new UpdateUserCommand(security),
        new UsersInfoCommand(security));
  }
}
