package dev.orrery.server.auth;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Accounts, logins, and the one thread that turns passwords into what is kept of them. */
public final class Security implements AutoCloseable {
  /** New passwords that may wait for their keys. */
  static final int DERIVATIONS_WAITING_MAX = 100;

  private final boolean isEnforced;
  private final SecureRandom random = new SecureRandom();
  private final Accounts accounts;
  private final ScheduledExecutorService timer;
  private final ThreadPoolExecutor derivations;
  private final Logins logins;

  /**
   * @param isEnforced whether only those may do something who are allowed to
   */
  public Security(AccountStore store, boolean isEnforced) {
    this.isEnforced = isEnforced;
    this.accounts = new Accounts(store, random);
    this.timer = Executors.newSingleThreadScheduledExecutor(daemon("logins"));
    // One thread of its own: whoever sets many passwords waits for it, queries do not.
    this.derivations =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(DERIVATIONS_WAITING_MAX),
            daemon("passwords"));
    derivations.allowCoreThreadTimeOut(true);
    this.logins = new Logins(accounts, new LoginGuard(timer), random);
  }

  /** Everybody may do everything, and accounts are kept in memory. */
  public static Security open() {
    return new Security(AccountStore.NONE, false);
  }

  /** Lets in an account of that name and key, which may do everything; nothing of it is stored. */
  public void openAccount(String name, String key) {
    var all = new EnumMap<ScramMechanism, ScramCredential>(ScramMechanism.class);
    for (ScramMechanism mechanism : ScramMechanism.values()) {
      all.put(mechanism, ScramCredential.derive(mechanism, name, key, random));
    }
    accounts.open(
        new User(
            new UserName(name, "admin"),
            newUserId(),
            new User.Credentials(all),
            List.of(new RoleName("root", "admin")),
            null,
            Restrictions.NONE));
  }

  private static ThreadFactory daemon(String name) {
    return task -> {
      Thread thread = Lane.WORKER.thread(name, task);
      thread.setDaemon(true);
      return thread;
    };
  }

  public boolean isEnforced() {
    return isEnforced;
  }

  public Accounts accounts() {
    return accounts;
  }

  public Logins logins() {
    return logins;
  }

  /** What the holder of that login may do now. */
  public Grants grantsOf(Login login) {
    return accounts.grantsOf(login.identity());
  }

  /** Whether the login is that of a user who still exists. */
  public boolean isKnown(Login login) {
    Login.@Nullable Identity identity = login.identity();
    User user = identity == null ? null : accounts.find(identity.name());
    return user != null && user.id().equals(identity.id());
  }

  public UUID newUserId() {
    return new UUID(
        random.nextLong() & ~0xF000L | 0x4000L, random.nextLong() >>> 2 | Long.MIN_VALUE);
  }

  /** Makes what is kept of a new password; takes a while, elsewhere. */
  public CompletionStage<User.Credentials> derive(
      String user, String password, Collection<ScramMechanism> mechanisms) {
    try {
      return CompletableFuture.supplyAsync(
          () -> {
            var all = new EnumMap<ScramMechanism, ScramCredential>(ScramMechanism.class);
            for (ScramMechanism mechanism : mechanisms) {
              all.put(mechanism, ScramCredential.derive(mechanism, user, password, random));
            }
            return new User.Credentials(all);
          },
          derivations);
    } catch (RejectedExecutionException full) {
      throw new CommandException(
          ErrorCode.TEMPORARILY_UNAVAILABLE, "too many passwords are being set; try again later");
    }
  }

  /**
   * Logs in with a password that came as it is, for those who know no SCRAM; takes a while,
   * elsewhere. Fails as a wrong proof does, and as late.
   */
  public CompletionStage<Void> logInWithPassword(
      Logins.Attempt attempt, UserName name, String password) {
    try {
      return CompletableFuture.supplyAsync(() -> isPassword(name, password), derivations)
          .thenCompose(isRight -> logins.withPassword(attempt, name, isRight));
    } catch (RejectedExecutionException full) {
      throw new CommandException(
          ErrorCode.TEMPORARILY_UNAVAILABLE, "too many passwords are being checked; try again");
    }
  }

  private boolean isPassword(UserName name, String password) {
    User user = accounts.find(name);
    boolean isOld =
        user != null
            && user.credentials().find(ScramMechanism.SHA_256) == null
            && user.credentials().find(ScramMechanism.SHA_1) != null;
    ScramMechanism mechanism = isOld ? ScramMechanism.SHA_1 : ScramMechanism.SHA_256;
    return !password.isEmpty()
        && accounts.credential(mechanism, name).isOf(name.user(), password)
        && user != null;
  }

  @Override
  public void close() {
    timer.shutdownNow();
    derivations.shutdownNow();
  }
}
