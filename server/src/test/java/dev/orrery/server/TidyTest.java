package dev.orrery.server;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Keeps the shape of the sources: sizes, order, and words that are not welcome. */
class TidyTest {
  private static final Path ROOT = Path.of("..");
  private static final List<String> MODULES =
      List.of(
          "value",
          "language",
          "wire",
          "storage",
          "server",
          "testkit",
          "testkit/spring",
          "compat-tests",
          "benchmarks");
  private static final int FILE_LINES_MAX = 500;
  private static final int LINE_CHARACTERS_MAX = 100;
  private static final int ESSAY_CHARACTERS_MAX = 110;
  private static final int METHOD_LINES_MAX = 70;
  private static final int PARAMETERS_MAX = 5;

  /** Limits that are passed on purpose: {@code File.java} or {@code File.java#method}, and why. */
  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          entry(
              "ChronicleEngine.java#UUID.randomUUID(",
              "makes the ids of new collections and stores"),
          entry(
              "BudgetFile.java#Files.writeString(", "lies beside the code, for all who have that"),
          entry("ReportFile.java#Files.writeString(", "others are to read it"),
          entry("DuplicateFinder.java#Files.createTempFile(", "makes it for its owner only"),
          entry("DuplicateFinder.java#Files.newOutputStream(", "the file is there"),
          entry("ErrorCode.java", "one line for each code of MongoDB"),
          entry("ChannelFile.java#new RandomAccessFile(", "the file is there and gets longer"),
          entry("ChronicleBucketImage.java#new FileOutputStream(", "the file is there"),
          entry("ChronicleBucketMap.java#new RandomAccessFile(", "the file is there"),
          entry("ChronicleBucketMap.java#createPersistedTo(", "the file is there"),
          entry("DataDirectory.java#Files.createDirectories(", "what is above it is not ours"),
          entry("DataDirectory.java#Files.createTempDirectory(", "is private by itself"),
          entry("SelfSignedCertificate.java#Files.writeString(", "the file is there"),
          entry("SpillDirectory.java#Files.newOutputStream(", "the file is there"),
          entry("Committer.java#catch (Throwable", "everybody waits for its thread"),
          entry("LoopThreads.java#catch (Throwable", "connections end with their loop's thread"),
          entry("Rounds.java#catch (Throwable", "a background thread must not end unseen"));

  /** What main sources do not call, and what they do instead. */
  private static final Map<Pattern, String> BANNED =
      Map.ofEntries(
          entry(Pattern.compile("System\\.currentTimeMillis\\("), "a Clock that is passed in"),
          entry(
              Pattern.compile("(Instant|LocalDate\\w*)\\.now\\(\\)"), "a Clock that is passed in"),
          entry(Pattern.compile("\\bnew Date\\(\\)"), "a Clock that is passed in"),
          entry(Pattern.compile("\\bnew Random\\(\\)|Math\\.random\\("), "a RandomGenerator"),
          entry(Pattern.compile("UUID\\.randomUUID\\("), "a Supplier of ids that is passed in"),
          entry(Pattern.compile("\\.printStackTrace\\("), "a Logger"),
          entry(Pattern.compile("\\.to(Lower|Upper)Case\\(\\)"), "a Locale, mostly Locale.ROOT"),
          entry(Pattern.compile("\\.getBytes\\(\\)"), "a Charset, mostly UTF_8"),
          entry(Pattern.compile("Class\\.forName\\(|setAccessible\\("), "no reflection"),
          entry(Pattern.compile("catch \\(Throwable"), "the exceptions that are meant"));

  /** What may create a file that others can read, or truncate one in silence. */
  private static final Pattern CREATES_A_FILE =
      Pattern.compile(
          "(?<!\\w)Files\\.(?:create\\w+|write\\w*|new(?:OutputStream|BufferedWriter|ByteChannel)|copy)\\("
              + "|new (?:RandomAccessFile|FileOutputStream|FileWriter)\\("
              + "|StandardOpenOption\\.CREATE\\w*|createPersistedTo\\(|createOrRecover\\w*\\(");

  private static final Pattern UNWELCOME_NAME =
      Pattern.compile("(Manager|Helper|Helpers|Impl|Util|Utils)$|^Abstract[A-Z]");
  private static final Pattern TYPE =
      Pattern.compile("(?m)^ *[\\w ]*\\b(?:class|interface|enum|record) (\\w+)");
  private static final Pattern TOP_LEVEL_TYPE =
      Pattern.compile(
          "(?m)^(?:public |final |abstract |sealed )*(?:class|interface|enum|record) \\w+");

  private static final List<JavaSource> SOURCES = sources();

  private static List<JavaSource> sources() {
    var sources = new ArrayList<JavaSource>();
    for (String module : MODULES) {
      Path directory = ROOT.resolve(module).resolve("src");
      if (Files.isDirectory(directory)) {
        try (Stream<Path> files = Files.walk(directory)) {
          files
              .filter(file -> file.toString().endsWith(".java"))
              .sorted()
              .map(JavaSource::read)
              .forEach(sources::add);
        } catch (IOException e) {
          throw new java.io.UncheckedIOException(e);
        }
      }
    }
    return sources;
  }

  @Test
  void filesLinesMethodsAndParametersStayWithinTheirLimits() {
    var tooMuch = new ArrayList<String>();
    for (JavaSource source : SOURCES) {
      if (source.lines().size() > FILE_LINES_MAX) {
        addUnlessAllowed(tooMuch, source.fileName(), source + " has too many lines");
      }
      for (int i = 0; i < source.lines().size(); i++) {
        if (isLong(source.lines().get(i))) {
          tooMuch.add(source + ":" + (i + 1) + " is a long line");
        }
      }
      for (JavaSource.Method method : source.methods()) {
        String where = source + ":" + method.line() + " " + method.name();
        String key = source.fileName() + "#" + method.name();
        if (method.lines() > METHOD_LINES_MAX) {
          addUnlessAllowed(tooMuch, key, where + " has " + method.lines() + " lines");
        }
        if (method.parameters() > PARAMETERS_MAX && !isRecordLike(source, method)) {
          addUnlessAllowed(tooMuch, key, where + " has " + method.parameters() + " parameters");
        }
      }
    }
    assertThat(tooMuch).isEmpty();
  }

  /** One that has the name of a field is easily taken for it. */
  @Test
  void parametersKeepTheirValues() {
    var assigned = new ArrayList<String>();
    for (JavaSource source : SOURCES) {
      for (JavaSource.Method method :
          source.isTest() ? List.<JavaSource.Method>of() : source.methods()) {
        if (!method.assigned().isEmpty()) {
          assigned.add(source + ":" + method.line() + " assigns " + method.assigned());
        }
      }
    }
    assertThat(assigned).isEmpty();
  }

  private static void addUnlessAllowed(List<String> found, String key, String message) {
    if (!ALLOWED.containsKey(key)) {
      found.add(message);
    }
  }

  /** The formatter breaks neither texts nor imports, and essays are wrapped by hand. */
  private static boolean isLong(String line) {
    boolean isEssay = line.strip().startsWith("* ");
    boolean isUnbreakable =
        line.startsWith("import ") || line.contains("\"") || line.contains("http");
    int most = isEssay ? ESSAY_CHARACTERS_MAX : LINE_CHARACTERS_MAX;
    return line.length() > most && !isUnbreakable;
  }

  /** A record's constructor has as many parameters as the record has parts. */
  private static boolean isRecordLike(JavaSource source, JavaSource.Method method) {
    return source.code().contains("record " + method.name() + "(");
  }

  @Test
  void bannedCallsAreNotMade() {
    var banned = new ArrayList<String>();
    for (JavaSource source : SOURCES) {
      if (source.isTest()) {
        continue;
      }
      BANNED.forEach(
          (call, instead) -> {
            Matcher matcher = call.matcher(source.code());
            while (matcher.find()) {
              addUnlessAllowed(
                  banned,
                  source.fileName() + "#" + matcher.group(),
                  "%s:%d calls %s; use %s"
                      .formatted(source, source.lineOf(matcher.start()), matcher.group(), instead));
            }
          });
    }
    assertThat(banned).isEmpty();
  }

  @Test
  void filesAreCreatedForTheirOwnerOnly() {
    var created = new ArrayList<String>();
    for (JavaSource source : SOURCES) {
      boolean isOurs =
          Stream.of("value", "language", "storage", "server")
              .anyMatch(module -> source.packageName().startsWith("dev.orrery." + module));
      if (source.isTest() || !isOurs || source.fileName().equals("PrivateFiles.java")) {
        continue;
      }
      Matcher matcher = CREATES_A_FILE.matcher(source.code());
      while (matcher.find()) {
        addUnlessAllowed(
            created,
            source.fileName() + "#" + matcher.group(),
            "%s:%d calls %s; use PrivateFiles"
                .formatted(source, source.lineOf(matcher.start()), matcher.group()));
      }
    }
    assertThat(created).isEmpty();
  }

  @Test
  void namesSayWhatAThingIs() {
    var unwelcome = new ArrayList<String>();
    for (JavaSource source : SOURCES) {
      Matcher type = TYPE.matcher(source.code());
      while (type.find()) {
        if (UNWELCOME_NAME.matcher(type.group(1)).find()) {
          unwelcome.add(source + " declares " + type.group(1));
        }
      }
    }
    assertThat(unwelcome).isEmpty();
  }

  @Test
  void everyClassIsDefinedInASentence() {
    var bare = new ArrayList<String>();
    for (JavaSource source : SOURCES) {
      Matcher type = TOP_LEVEL_TYPE.matcher(source.code());
      boolean isTestCase = source.fileName().endsWith("Test.java");
      if (!isTestCase && type.find() && !isDocumented(source, type.start())) {
        bare.add(source + " does not say what it is");
      }
    }
    assertThat(bare).isEmpty();
  }

  private static boolean isDocumented(JavaSource source, int type) {
    String before = source.text().substring(0, type).stripTrailing();
    String withoutAnnotations = before.replaceAll("(?s)(\\n@[^\\n]*)+$", "").stripTrailing();
    return withoutAnnotations.endsWith("*/");
  }

  @Test
  void todosNameTheirIssue() {
    Pattern todo = Pattern.compile("\\b(TODO|FIXME|XXX)\\b(?!\\(#\\d+\\))");
    assertThat(SOURCES)
        .filteredOn(source -> !source.fileName().equals("TidyTest.java"))
        .filteredOn(source -> todo.matcher(source.text()).find())
        .isEmpty();
  }

  @Test
  void tablesThatSayTheyAreSortedAreSorted() {
    Pattern sorted = Pattern.compile("\\( // sorted");
    for (JavaSource source : SOURCES) {
      Matcher matcher = sorted.matcher(source.text());
      while (matcher.find()) {
        if (source.code().charAt(matcher.start()) != '(') {
          continue; // inside a literal
        }
        List<String> keys = source.keysAfter(matcher.start());
        assertThat(keys)
            .as("%s:%d", source, source.lineOf(matcher.start()))
            .isSortedAccordingTo(Comparator.naturalOrder())
            .doesNotHaveDuplicates();
      }
    }
  }

  @Test
  void errorCodesAreSortedAndUnique() {
    var numbers = new ArrayList<Integer>();
    var names = new HashSet<String>();
    for (ErrorCode code : ErrorCode.values()) {
      numbers.add(code.number());
      assertThat(names.add(code.codeName())).as(code.codeName()).isTrue();
    }
    assertThat(numbers).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void documentsNameFilesThatExist() throws IOException {
    Set<String> known = new HashSet<>();
    SOURCES.forEach(source -> known.add(source.fileName()));
    var missing = new ArrayList<String>();
    Pattern file = Pattern.compile("`([\\w./-]+\\.(?:java|md|xml|json))`");
    for (String document : List.of("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md")) {
      Matcher matcher = file.matcher(Files.readString(ROOT.resolve(document)));
      while (matcher.find()) {
        String name = matcher.group(1);
        if (!known.contains(name) && !Files.exists(ROOT.resolve(name))) {
          missing.add(document + " names " + name);
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void theSourceReaderSeesMethods() {
    JavaSource source =
        JavaSource.of(
            """
            final class Example {
              Example(int a, Map<String, Integer> b) {
                run(() -> {});
              }

              @Override
              public <T> T run(
                  Runnable r) throws IOException {
                if (x == "){") { // {
                  return null;
                }
              }

              void climb(int level, int depth, boolean up) {
                depth += up == true && level <= 0 ? 1 : 2;
                this.level = level;
                level++;
              }
            }
            """);
    assertThat(source.methods())
        .containsExactly(
            new JavaSource.Method("Example", 2, 3, 2, List.of()),
            new JavaSource.Method("run", 6, 7, 1, List.of()),
            new JavaSource.Method("climb", 14, 5, 3, List.of("level", "depth")));
    JavaSource table =
        JavaSource.of("List.of( // sorted\n  entry(\"a\", \"z\"), entry(\"b\", f(\"y\")), \"c\");");
    assertThat(table.keysAfter(7)).containsExactly("a", "b", "c");
  }
}
