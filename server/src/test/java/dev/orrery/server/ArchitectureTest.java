package dev.orrery.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
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
          "server.transfer.export",
          "server.transfer.analysis",
          "server.transfer.source",
          "server.console",
          "server.console.api",
          "server.console.history",
          "server.console.metrics",
          "server.console.http",
          "server.net",
          "server.command.cosmos",
          "server.command.diagnostic",
          "server.command.schema",
          "server.command.data",
          "server.command.collection",
          "server.command.security",
          "server.command",
          "server.ledger",
          "server.operation",
          "server.auth",
          "server.stream",
          "server.cursor",
          "server.session",
          "server.throughput",
          "server.plan",
          "server.plan.bounds",
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
