package dev.orrery.testkit;

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.lang.annotation.Annotation;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Hands out servers and databases to tests: a server for each set of options in the process, a
 * database for each test, dropped when the test ends. Counts what a test spends while its own
 * method runs.
 */
public final class OrreryExtension
    implements ParameterResolver,
        BeforeTestExecutionCallback,
        AfterTestExecutionCallback,
        AfterEachCallback {
  private static final Namespace SPACE = Namespace.create(OrreryExtension.class);
  private static final Set<Class<?>> TYPES =
      Set.of(ConnectionString.class, MongoClient.class, MongoDatabase.class, Orrery.class);

  /** All servers of the process, closed when the last test is over. */
  private static final class Servers implements AutoCloseable {
    private final Map<OrreryOptions, Orrery> byOptions = new ConcurrentHashMap<>();
    private final AtomicLong databases = new AtomicLong();

    Orrery get(OrreryOptions options) {
      return byOptions.computeIfAbsent(options, Orrery::start);
    }

    @Override
    public void close() {
      byOptions.values().forEach(Orrery::close);
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return TYPES.contains(parameter.getParameter().getType());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    Orrery server = server(context);
    if (type == Orrery.class) {
      return server;
    }
    if (type == MongoClient.class) {
      return server.client();
    }
    MongoDatabase database = database(context);
    return type == MongoDatabase.class ? database : server.connectionString(database.getName());
  }

  /** The server for the options of a test. */
  static Orrery server(ExtensionContext context) {
    return servers(context).get(options(context));
  }

  private static Servers servers(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(SPACE)
        .getOrComputeIfAbsent(Servers.class, type -> new Servers(), Servers.class);
  }

  private static OrreryOptions options(ExtensionContext context) {
    OrreryOptions options = OrreryOptions.defaults().with("--test-commands");
    Profile profile = find(context, Profile.class);
    if (profile != null) {
      options = options.withProfile(profile.value());
    }
    SplitAt split = find(context, SplitAt.class);
    return split == null ? options : options.withSplitAt(split.value());
  }

  /** What stands at the test, or else at its class; null when there is none. */
  private static <A extends Annotation> @Nullable A find(ExtensionContext context, Class<A> type) {
    Optional<ExtensionContext> at = Optional.of(context);
    while (at.isPresent()) {
      Optional<A> found = AnnotationSupport.findAnnotation(at.get().getElement(), type);
      if (found.isPresent()) {
        return found.get();
      }
      at = at.get().getParent();
    }
    return null;
  }

  /** The database of a test, or of its class where there is no test yet. */
  static MongoDatabase database(ExtensionContext context) {
    return context
        .getStore(SPACE)
        .getOrComputeIfAbsent(
            MongoDatabase.class,
            type ->
                server(context)
                    .client()
                    .getDatabase("test" + servers(context).databases.incrementAndGet()),
            MongoDatabase.class);
  }

  /** Lets requests of the test's database be refused while its method runs. */
  private static void throttle(ExtensionContext context, Throttled throttled) {
    String database = database(context).getName();
    server(context)
        .client()
        .getDatabase("admin")
        .runCommand(
            new Document("injectFault", database)
                .append("database", database)
                .append("share", throttled.share())
                .append("times", (long) throttled.times())
                .append("seed", throttled.seed())
                .append("millis", throttled.retryAfterMillis()));
  }

  @Override
  public void beforeTestExecution(ExtensionContext context) {
    Throttled throttled = find(context, Throttled.class);
    if (throttled != null) {
      throttle(context, throttled);
    }
    if (find(context, MaxRequestUnits.class) != null) {
      Spending spending = server(context).count(database(context));
      context.getStore(SPACE).put(Spending.class, spending);
    }
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (find(context, Throttled.class) != null) {
      server(context)
          .client()
          .getDatabase("admin")
          .runCommand(new Document("clearFaults", database(context).getName()));
    }
    Spending spending = context.getStore(SPACE).remove(Spending.class, Spending.class);
    if (spending == null) {
      return;
    }
    if (context.getExecutionException().isPresent()) {
      spending.end(); // the test has failed already
    } else {
      spending.requireAtMost(find(context, MaxRequestUnits.class).value());
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    MongoDatabase database =
        context.getStore(SPACE).remove(MongoDatabase.class, MongoDatabase.class);
    if (database != null) {
      database.drop();
    }
  }
}
