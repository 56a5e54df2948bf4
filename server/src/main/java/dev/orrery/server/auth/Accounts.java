package dev.orrery.server.auth;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.Receipt;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * All users and roles, held in memory and written through. A change counts at once, also for those
 * who are logged in. Changes return what to wait for until they are durable.
 */
public final class Accounts {
  private static final String USERS = "user";
  private static final String ROLES = "role";
  private static final String SECRETS = "secret";
  private static final String MARKS = "mark";
  private static final int SECRET_BYTES = 32;

  /** Stored as soon as the last user is dropped. */
  private static final BsonDocument HAD_USERS = new BsonDocument("_id", new BsonString("hadUsers"));

  private final AccountStore store;
  private final Map<UserName, User> users = new ConcurrentHashMap<>();
  private final Map<RoleName, Role> roles = new ConcurrentHashMap<>();
  // Replaced after every change, so what is computed from old data ends up nowhere.
  private volatile Map<UUID, Grants> grants = new ConcurrentHashMap<>();
  private final byte[] secret;
  // Never unset: whoever drops the last user does not open the door to everybody on the machine.
  private volatile boolean hadUsers;
  private volatile @Nullable UserName account;

  public Accounts(AccountStore store, SecureRandom random) {
    this.store = store;
    store.load(USERS).stream().map(User::of).forEach(user -> users.put(user.name(), user));
    store.load(ROLES).stream().map(Role::of).forEach(role -> roles.put(role.name(), role));
    this.secret = secret(store, random);
    this.hadUsers = !users.isEmpty() || !store.load(MARKS).isEmpty();
  }

  /** Random bytes that outlive a restart, for salts of users that do not exist. */
  private static byte[] secret(AccountStore store, SecureRandom random) {
    List<BsonDocument> stored = store.load(SECRETS);
    if (!stored.isEmpty()) {
      return stored.get(0).getBinary("value").getData();
    }
    byte[] fresh = new byte[SECRET_BYTES];
    random.nextBytes(fresh);
    store.save(
        SECRETS,
        new BsonDocument("_id", new BsonString("login")).append("value", new BsonBinary(fresh)));
    return fresh;
  }

  /** Whether there is no user, and has never been one. */
  public boolean awaitFirstUser() {
    return !hadUsers;
  }

  /** The user, or null when there is none. */
  public @Nullable User find(UserName name) {
    return users.get(name);
  }

  /**
   * Lets one in for as long as the server runs, without keeping anything: the account that was
   * named at the start. It is known in every database, because connection strings may name any.
   */
  synchronized void open(User named) {
    users.put(named.name(), named);
    account = named.name();
    hadUsers = true;
    forgetGrants();
  }

  /** Who is meant by a login of that name, or null when there is nobody. */
  @Nullable User findLogin(UserName name) {
    User found = users.get(name);
    UserName named = account;
    boolean isAccount = found == null && named != null && named.user().equals(name.user());
    return isAccount ? users.get(named) : found;
  }

  public List<User> users() {
    return users.values().stream().sorted(Comparator.comparing(user -> user.name().id())).toList();
  }

  /**
   * @param mustBeFirst whether the right to do so ends with the first user
   */
  public Receipt create(User user, boolean mustBeFirst) {
    return alone(() -> createAlone(user, mustBeFirst));
  }

  private Receipt createAlone(User user, boolean mustBeFirst) {
    if (mustBeFirst && hadUsers) {
      throw new CommandException(
          ErrorCode.UNAUTHORIZED, "Command createUser requires authentication");
    }
    if (users.containsKey(user.name())) {
      throw new CommandException(
          ErrorCode.LOCATION_51003, "User \"" + user.name() + "\" already exists");
    }
    requireRoles(user.roles());
    return put(user);
  }

  public Receipt update(UserName name, UnaryOperator<User> change) {
    return alone(() -> updateAlone(name, change));
  }

  private Receipt updateAlone(UserName name, UnaryOperator<User> change) {
    User old = users.get(name);
    if (old == null) {
      throw new CommandException(ErrorCode.USER_NOT_FOUND, "User " + name + " not found");
    }
    User changed = change.apply(old);
    requireRoles(changed.roles());
    return put(changed);
  }

  public Receipt drop(UserName name) {
    return alone(() -> dropAlone(name));
  }

  private Receipt dropAlone(UserName name) {
    if (!users.containsKey(name)) {
      throw new CommandException(ErrorCode.USER_NOT_FOUND, "User '" + name + "' not found");
    }
    if (users.size() == 1) {
      store.save(MARKS, HAD_USERS); // before the user goes, so that no crash comes between
    }
    Receipt receipt = store.remove(USERS, name.id());
    users.remove(name);
    forgetGrants();
    return receipt;
  }

  /**
   * One change after the other, each until it is written: nothing for a thread that must not wait.
   */
  private Receipt alone(Supplier<Receipt> change) {
    Lane.requireMayWait();
    synchronized (this) {
      return change.get();
    }
  }

  private Receipt put(User user) {
    Receipt receipt = store.save(USERS, user.toBson());
    users.put(user.name(), user);
    hadUsers = true;
    forgetGrants();
    return receipt;
  }

  /** The role, built-in or not, or null when there is none. */
  public @Nullable Role find(RoleName name) {
    Role builtIn = BuiltInRoles.find(name);
    return builtIn != null ? builtIn : roles.get(name);
  }

  /** The roles of a database that users made, sorted. */
  public List<Role> rolesIn(String database) {
    return roles.values().stream()
        .filter(role -> role.name().database().equals(database))
        .sorted(Comparator.comparing(role -> role.name().role()))
        .toList();
  }

  public List<Role> builtInRolesIn(String database) {
    return BuiltInRoles.in(database);
  }

  public Receipt create(Role role) {
    return alone(() -> createAlone(role));
  }

  private Receipt createAlone(Role role) {
    if (BuiltInRoles.find(role.name()) != null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Cannot create role '%s'. Role is a built-in role".formatted(role.name()));
    }
    if (roles.containsKey(role.name())) {
      throw new CommandException(
          ErrorCode.LOCATION_51002, "Role \"" + role.name() + "\" already exists");
    }
    requireRoles(role.inherited());
    return put(role);
  }

  public Receipt update(RoleName name, UnaryOperator<Role> change) {
    return alone(() -> updateAlone(name, change));
  }

  private Receipt updateAlone(RoleName name, UnaryOperator<Role> change) {
    Role changed = change.apply(requireCustom(name));
    requireRoles(changed.inherited());
    requireNoCycle(changed);
    return put(changed);
  }

  /** Drops the role, and takes it from all who have it. */
  public Receipt drop(RoleName name) {
    return alone(() -> dropAlone(name));
  }

  private Receipt dropAlone(RoleName name) {
    requireCustom(name);
    Predicate<RoleName> others = each -> !each.equals(name);
    for (User user : users()) {
      if (user.roles().contains(name)) {
        put(user.withRoles(user.roles().stream().filter(others).toList()));
      }
    }
    for (Role role : List.copyOf(roles.values())) {
      if (role.inherited().contains(name)) {
        put(role.withInherited(role.inherited().stream().filter(others).toList()));
      }
    }
    roles.remove(name);
    forgetGrants();
    return store.remove(ROLES, name.id());
  }

  private Receipt put(Role role) {
    Receipt receipt = store.save(ROLES, role.toBson());
    roles.put(role.name(), role);
    forgetGrants();
    return receipt;
  }

  private Role requireCustom(RoleName name) {
    if (BuiltInRoles.find(name) != null) {
      throw new CommandException(
          ErrorCode.INVALID_ROLE_MODIFICATION, name + " is a built-in role and cannot be modified");
    }
    Role role = roles.get(name);
    if (role == null) {
      throw new CommandException(ErrorCode.ROLE_NOT_FOUND, "Role " + name + " not found");
    }
    return role;
  }

  private void requireRoles(List<RoleName> names) {
    for (RoleName name : names) {
      if (find(name) == null) {
        throw new CommandException(ErrorCode.ROLE_NOT_FOUND, "Could not find role: " + name);
      }
    }
  }

  private void requireNoCycle(Role changed) {
    for (RoleName inherited : changed.inherited()) {
      if (withInherited(List.of(inherited)).containsKey(changed.name())) {
        throw new CommandException(
            ErrorCode.INVALID_ROLE_MODIFICATION,
            "Granting %s to %s would introduce a cycle in the role graph"
                .formatted(inherited, changed.name()));
      }
    }
  }

  /** The roles of that name and all that they inherit; a role that is gone counts for nothing. */
  public Map<RoleName, Role> withInherited(List<RoleName> names) {
    var found = new LinkedHashMap<RoleName, Role>();
    var open = new ArrayList<>(names);
    while (!open.isEmpty()) {
      RoleName name = open.remove(0);
      Role role = find(name);
      if (role != null && found.put(name, role) == null) {
        open.addAll(role.inherited());
      }
    }
    return found;
  }

  /** What the user may do now; nothing if they are gone or not the same any more. */
  public Grants grantsOf(Login.@Nullable Identity identity) {
    Map<UUID, Grants> known = grants; // before the users are looked at
    User user = identity == null ? null : users.get(identity.name());
    if (user == null || !user.id().equals(identity.id())) {
      return Grants.NONE;
    }
    return known.computeIfAbsent(user.id(), id -> grantsOf(user.roles()));
  }

  private void forgetGrants() {
    grants = new ConcurrentHashMap<>();
  }

  public Grants grantsOf(List<RoleName> names) {
    Map<RoleName, Role> all = withInherited(names);
    List<Privilege> privileges =
        all.values().stream().flatMap(role -> role.privileges().stream()).toList();
    return new Grants(List.copyOf(all.keySet()), privileges);
  }

  /** What to check a login against: for every name something, so that all logins look alike. */
  ScramCredential credential(ScramMechanism mechanism, UserName name) {
    User user = findLogin(name);
    ScramCredential real = user == null ? null : user.credentials().find(mechanism);
    ScramCredential fake = ScramCredential.fake(mechanism, name, secret);
    return real != null ? real : fake;
  }
}
