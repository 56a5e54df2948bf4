package dev.orrery.server.auth;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBinarySubType;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * A user: how they prove who they are, and their roles. One who is dropped and created again has
 * another id, so that an old login does not become theirs.
 *
 * @param credentials none for a user with a certificate
 * @param customData null when there is none
 */
public record User(
    UserName name,
    UUID id,
    Credentials credentials,
    List<RoleName> roles,
    @Nullable BsonDocument customData,
    Restrictions restrictions) {
  public User {
    roles = List.copyOf(roles);
  }

  /** What is kept of the password, for each mechanism; its text tells nothing. */
  public static final class Credentials {
    public static final Credentials NONE = new Credentials(Map.of());

    private final Map<ScramMechanism, ScramCredential> all;

    Credentials(Map<ScramMechanism, ScramCredential> all) {
      this.all = Map.copyOf(all);
    }

    @Nullable ScramCredential find(ScramMechanism mechanism) {
      return all.get(mechanism);
    }

    public Set<ScramMechanism> mechanisms() {
      return all.keySet();
    }

    /** As stored and as {@code usersInfo} shows it to those who may see credentials. */
    public BsonDocument toBson() {
      var document = new BsonDocument();
      for (ScramMechanism mechanism : ScramMechanism.values()) {
        ScramCredential credential = all.get(mechanism);
        if (credential != null) {
          document.append(mechanism.wireName(), credential.toBson());
        }
      }
      return document;
    }

    static Credentials of(BsonDocument document) {
      var all = new EnumMap<ScramMechanism, ScramCredential>(ScramMechanism.class);
      for (ScramMechanism mechanism : ScramMechanism.values()) {
        if (document.containsKey(mechanism.wireName())) {
          all.put(
              mechanism, ScramCredential.of(mechanism, document.getDocument(mechanism.wireName())));
        }
      }
      return new Credentials(all);
    }
  }

  public User withCredentials(Credentials changed) {
    return new User(name, id, changed, roles, customData, restrictions);
  }

  public User withRoles(List<RoleName> changed) {
    return new User(name, id, credentials, changed, customData, restrictions);
  }

  public User withCustomData(BsonDocument changed) {
    return new User(name, id, credentials, roles, changed, restrictions);
  }

  public User withRestrictions(Restrictions changed) {
    return new User(name, id, credentials, roles, customData, changed);
  }

  /** The stored form, which is that of MongoDB's {@code admin.system.users}. */
  BsonDocument toBson() {
    var document =
        new BsonDocument("_id", new BsonString(name.id()))
            .append("userId", idToBson())
            .append("user", new BsonString(name.user()))
            .append("db", new BsonString(name.database()))
            .append("credentials", credentials.toBson());
    if (customData != null) {
      document.append("customData", customData);
    }
    if (!restrictions.isEmpty()) {
      document.append("authenticationRestrictions", restrictions.document());
    }
    return document.append("roles", RoleName.toBson(roles));
  }

  public BsonBinary idToBson() {
    byte[] bytes =
        ByteBuffer.allocate(16)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits())
            .array();
    return new BsonBinary(BsonBinarySubType.UUID_STANDARD, bytes);
  }

  static User of(BsonDocument document) {
    ByteBuffer id = ByteBuffer.wrap(document.getBinary("userId").getData());
    return new User(
        new UserName(document.getString("user").getValue(), document.getString("db").getValue()),
        new UUID(id.getLong(), id.getLong()),
        Credentials.of(document.getDocument("credentials")),
        document.getArray("roles").stream().map(role -> RoleName.of(role.asDocument())).toList(),
        document.getDocument("customData", null),
        Restrictions.parse(document.getArray("authenticationRestrictions", new BsonArray())));
  }
}
