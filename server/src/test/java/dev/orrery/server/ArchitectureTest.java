package dev.orrery.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Who may know whom: modules, packages, and what few may touch. */
class ArchitectureTest {
  private static final String ROOT = "dev.orrery.";

  /** As many files as somebody can overlook. */
  private static final int PACKAGE_FILES_MAX = 60;

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages(
              "dev.orrery.value",
              "dev.orrery.lane",
              "dev.orrery.language",
              "dev.orrery.wire",
              "dev.orrery.storage",
              "dev.orrery.server");

  /** A package may know those behind it in this list, of its own module and of others. */
  private static final List<String> ORDER =
      List.of(
          "server",
          "server.run",
          "server.transfer",
          "server.transfer.replay",
          "server.transfer.export",
          "server.transfer.analysis",
          "server.transfer.source",
          "server.console",
          "server.console.api",
          "server.console.history",
          "server.console.metrics",
          "server.console.http",
          "server.net",
          "server.command.advice",
          "server.command.cosmos",
          "server.command.diagnostic",
          "server.command.schema",
          "server.command.data",
          "server.command.collection",
          "server.command.security",
          "server.command",
          "server.ledger",
          "server.advisor",
          "server.workload",
          "server.operation",
          "server.auth",
          "server.stream",
          "server.cursor",
          "server.session",
          "server.throughput",
          "server.plan",
          "server.plan.bounds",
          "server.synthetic",
          "server.expiry",
          "server.store",
          "wire",
          "language.update",
          "language.aggregate",
          "language.aggregate.window",
          "language.aggregate.accumulator",
          "language.aggregate.stage",
          "language.query",
          "language.text",
          "language.expression",
          "language.date",
          "language.geo",
          "language.number",
          "language.limit",
          "language.error",
          "storage.postgres",
          "storage.engine",
          "storage.recovery",
          "storage.upkeep",
          "storage.reshape",
          "storage.commit",
          "storage.overlay",
          "storage.feed",
          "storage.physical",
          "storage.structure",
          "storage.keyindex",
          "storage.index",
          "storage.log",
          "storage",
          "storage.catalog",
          "storage.partition",
          "lane",
          "value");

  private static String placeOf(JavaClass type) {
    return type.getPackageName().substring(ROOT.length());
  }

  private static List<JavaClass> ours() {
    return CLASSES.stream().filter(type -> type.getName().startsWith(ROOT)).toList();
  }

  @Test
  void everyPackageHasItsPlace() {
    var places = ours().stream().map(ArchitectureTest::placeOf).collect(Collectors.toSet());
    assertThat(ORDER).containsExactlyInAnyOrderElementsOf(places);
  }

  @Test
  void dependenciesPointDown() {
    var upward = new TreeSet<String>();
    for (JavaClass type : ours()) {
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (target.getName().startsWith(ROOT)
            && ORDER.indexOf(placeOf(target)) < ORDER.indexOf(placeOf(type))) {
          upward.add(type.getName() + " knows " + target.getName());
        }
      }
    }
    assertThat(upward).isEmpty();
  }

  @Test
  void packagesAreFreeOfCycles() {
    slices().matching("dev.orrery.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void wireStorageAndLanguageDoNotKnowOneAnother() {
    for (String module : List.of("wire", "storage", "language")) {
      String[] others =
          List.of("wire", "storage", "language", "server").stream()
              .filter(other -> !other.equals(module))
              .map(other -> ROOT + other + "..")
              .toArray(String[]::new);
      noClasses()
          .that()
          .resideInAPackage(ROOT + module + "..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(others)
          .check(CLASSES);
    }
  }

  @Test
  void theLanguageNeedsNeitherASocketNorADisk() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.orrery.language..", "dev.orrery.value..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.net..", "java.nio.file..", "java.nio.channels..", "io.netty..")
        .check(CLASSES);
  }

  @Test
  void onlyKeyIndexesKnowChronicleMap() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.orrery.storage.keyindex", "net.openhft..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("net.openhft.chronicle.map..", "net.openhft.chronicle.hash..")
        .check(CLASSES);
  }

  @Test
  void onlyTheEngineOnPostgresKnowsDatabases() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.orrery.storage.postgres")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.sql..", "javax.sql..", "org.postgresql..")
        .check(CLASSES);
  }

  @Test
  void onlyTheNetworkKnowsNetty() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.orrery.wire..",
            "dev.orrery.server.net",
            "dev.orrery.server.console.http",
            "dev.orrery.server")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.netty..")
        .check(CLASSES);
  }

  /** A thread that knows no lane would be allowed everything. */
  @Test
  void threadsAreMadeByTheirLane() {
    noClasses()
        .that()
        .resideInAPackage("dev.orrery..")
        .and()
        .resideOutsideOfPackages("dev.orrery.lane", "dev.orrery.server.transfer..")
        .should()
        .callConstructor(Thread.class, Runnable.class)
        .orShould()
        .callConstructor(Thread.class, Runnable.class, String.class)
        .orShould()
        .callConstructor(Thread.class, String.class)
        .check(CLASSES);
  }

  /** What makes a thread without a lane, on its own or in a pool that all share. */
  @Test
  void poolsAreOfThreadsThatKnowTheirLane() {
    var strays = new TreeSet<String>();
    for (JavaCall<?> call : callsOfOurs()) {
      String owner = call.getTargetOwner().getSimpleName();
      List<String> arguments =
          call.getTarget().getRawParameterTypes().stream().map(JavaClass::getSimpleName).toList();
      boolean isPool = owner.equals("Executors") || owner.equals("ThreadPoolExecutor");
      boolean isMade = call.getName().startsWith("new") || call.getName().equals("<init>");
      boolean isAsync = call.getName().endsWith("Async") && owner.equals("CompletableFuture");
      if ((isPool && isMade && !arguments.contains("ThreadFactory"))
          || (isAsync && !arguments.contains("Executor"))
          || (call.getName().equals("parallelStream"))
          || (call.getName().equals("<init>") && owner.equals("Timer"))) {
        strays.add(top(call.getOriginOwner()) + " calls " + owner + "." + call.getName());
      }
    }
    assertThat(strays).isEmpty();
  }

  /**
   * Who may wait is known, and why that is right: who adds somebody says so here, and asks {@code
   * Lane} first wherever an event loop can come by.
   */
  @Test
  void whoWaitsIsKnown() {
    var waiting = new TreeSet<String>();
    for (JavaCall<?> call : callsOfOurs()) {
      Set<String> methods = WaitingPlaces.METHODS.get(call.getTargetOwner().getSimpleName());
      if (methods != null && methods.contains(call.getName())) {
        waiting.add(top(call.getOriginOwner()));
      }
    }
    assertThat(waiting).containsExactlyInAnyOrderElementsOf(WaitingPlaces.REASONS.keySet());
  }

  /** Locks that protect a collection are the engine's; a command has none. */
  @Test
  void commandsHoldNoLocks() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.orrery.server.command..", "dev.orrery.server.plan..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.concurrent.locks.Lock")
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo("java.util.concurrent.locks.Lock")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.concurrent.locks.StampedLock")
        .check(CLASSES);
  }

  /** What is above storage does as well on another engine. */
  @Test
  void onlyTheWiringKnowsTheEmbeddedEngine() {
    noClasses()
        .that()
        .resideInAPackage("dev.orrery.server.*..")
        .and()
        .resideOutsideOfPackages("dev.orrery.server.transfer..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.orrery.storage.engine",
            "dev.orrery.storage.recovery",
            "dev.orrery.storage.upkeep",
            "dev.orrery.storage.reshape",
            "dev.orrery.storage.commit",
            "dev.orrery.storage.overlay",
            "dev.orrery.storage.feed",
            "dev.orrery.storage.physical",
            "dev.orrery.storage.structure",
            "dev.orrery.storage.keyindex",
            "dev.orrery.storage.log")
        .check(CLASSES);
  }

  /** A name that stands for two things makes a reader look at the wrong one. */
  @Test
  void aNameStandsForOneThing() {
    var places = new TreeMap<String, TreeSet<String>>();
    for (JavaClass type : ours()) {
      if (type.isTopLevelClass() && !type.getSimpleName().equals("package-info")) {
        places.computeIfAbsent(type.getSimpleName(), any -> new TreeSet<>()).add(placeOf(type));
      }
    }
    places.values().removeIf(some -> some.size() == 1);
    assertThat(places).isEmpty();
  }

  private static List<JavaCall<?>> callsOfOurs() {
    var calls = new ArrayList<JavaCall<?>>();
    for (JavaClass type : ours()) {
      calls.addAll(type.getMethodCallsFromSelf());
      calls.addAll(type.getConstructorCallsFromSelf());
    }
    return calls;
  }

  /** The name of the file, below the root. */
  private static String top(JavaClass type) {
    return type.getName().substring(ROOT.length()).replaceFirst("\\$.*", "");
  }

  @Test
  void noPackageIsADrawer() {
    Map<String, Long> files = new TreeMap<>();
    for (JavaClass type : ours()) {
      if (type.isTopLevelClass() && !type.getSimpleName().equals("package-info")) {
        files.merge(placeOf(type), 1L, Long::sum);
      }
    }
    assertThat(files)
        .allSatisfy((place, count) -> assertThat(count).isLessThanOrEqualTo(PACKAGE_FILES_MAX));
  }
}
