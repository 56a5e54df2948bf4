package dev.orrery.server.command.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CommandFixture;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Users and roles by command; users of {@code $external}, who need no password. */
class AccountCommandsTest {
  private final CommandFixture server = new CommandFixture();

  private void ok(String command) {
    assertThat(server.run(command).getDouble("ok").getValue()).as(command).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{dropUser: 'n', $db: 'd'} | 11 UserNotFound: User 'n@d' not found",
        "{updateUser: 'n', pwd: 'x', $db: 'd'} | 11 UserNotFound: User n@d not found",
        "{grantRolesToUser: 'n', roles: ['read'], $db: 'd'} | 11 UserNotFound: User n@d not found",
        "{dropRole: 'r', $db: 'd'} | 31 RoleNotFound: Role r@d not found",
        "{createUser: 'u', roles: ['r'], $db: '$external'}"
            + " | 31 RoleNotFound: Could not find role: r@$external",
        "{createUser: 'u', roles: [], $db: 'd'} | 2 BadValue: Must provide a 'pwd' field for all"
            + " user documents, except those with '$external' as the user's source db",
        "{createRole: 'read', privileges: [], roles: [], $db: 'd'}"
            + " | 2 BadValue: Cannot create role 'read@d'. Role is a built-in role",
        "{dropRole: 'read', $db: 'd'}"
            + " | 92 InvalidRoleModification: read@d is a built-in role and cannot be modified",
        "{createRole: 'r', privileges: [{resource: {cluster: true}, actions: ['fly']}], roles: []}"
            + " | 9 FailedToParse: Unrecognized action privilege string: fly",
        "{saslContinue: 1, conversationId: 1, payload: ''}"
            + " | 17 ProtocolError: No SASL session state found",
        "{saslStart: 1, mechanism: 'PLAIN', payload: ''} | 334 MechanismUnavailable: Received"
            + " authentication for mechanism PLAIN which is unknown or not enabled"
      })
  void whatCannotBeDoneIsSaidInTheWordsOfMongoDb(String command, String error) {
    assertThat(server.error(command)).isEqualTo(error);
  }

  @Test
  void aUserIsMadeOnceShownAndDropped() {
    String create =
        "{createUser: 'u', roles: [{role: 'read', db: 'd'}], customData: {a: 1}, $db: '$external'}";
    ok(create);
    assertThat(server.error(create))
        .isEqualTo("51003 Location51003: User \"u@$external\" already exists");
    BsonDocument user =
        server
            .run("{usersInfo: {user: 'u', db: '$external'}}")
            .getArray("users")
            .get(0)
            .asDocument();
    assertThat(user.remove("userId").asBinary().asUuid().version()).isEqualTo(4);
    assertThat(user)
        .isEqualTo(
            BsonDocument.parse(
                "{_id: '$external.u', user: 'u', db: '$external', customData: {a: 1}, roles:"
                    + " [{role: 'read', db: 'd'}], mechanisms: []}"));
    assertThat(server.run("{usersInfo: 1}").getArray("users")).isEmpty();
    ok("{revokeRolesFromUser: 'u', roles: [{role: 'read', db: 'd'}], $db: '$external'}");
    assertThat(server.run("{dropAllUsersFromDatabase: 1, $db: '$external'}").getInt32("n"))
        .isEqualTo(new org.bson.BsonInt32(1));
  }

  @Test
  void aRoleInheritsAndMayNotInheritItself() {
    ok("{createRole: 'a', privileges: [], roles: ['read'], $db: 'd'}");
    ok("{createRole: 'b', privileges: [], roles: ['a'], $db: 'd'}");
    assertThat(server.error("{grantRolesToRole: 'a', roles: ['b'], $db: 'd'}"))
        .isEqualTo(
            "92 InvalidRoleModification: Granting b@d to a@d would introduce a cycle in the role"
                + " graph");
    BsonDocument role =
        server.run("{rolesInfo: 'b', $db: 'd'}").getArray("roles").get(0).asDocument();
    assertThat(role)
        .isEqualTo(
            BsonDocument.parse(
                "{_id: 'd.b', role: 'b', db: 'd', roles: [{role: 'a', db: 'd'}], inheritedRoles:"
                    + " [{role: 'a', db: 'd'}, {role: 'read', db: 'd'}], isBuiltin: false}"));
    ok("{dropRole: 'a', $db: 'd'}");
    role = server.run("{rolesInfo: 'b', $db: 'd'}").getArray("roles").get(0).asDocument();
    assertThat(role.getArray("inheritedRoles")).isEmpty();
  }
}
