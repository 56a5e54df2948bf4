package dev.orrery.server.run;

import dev.orrery.server.ledger.Costs;
import dev.orrery.server.ledger.Effort;
import dev.orrery.server.ledger.ShapeCost;
import dev.orrery.server.ledger.Sum;
import dev.orrery.server.throughput.RequestCharge;
import dev.orrery.server.transfer.source.UsageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonParseException;
import org.bson.json.JsonWriterSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * A file of budgets, kept beside the code. Limits are of a whole run, a collection, an application
 * or a comment, for all requests together; of a shape, for each of its requests. What is recorded
 * is what each shape cost when it was recorded, and may be passed by the tolerance.
 */
final class BudgetFile {
  private static final String TOLERANCE = "tolerance";
  private static final String RUN = "run";
  private static final String RECORDED = BudgetVerdict.RECORDED;
  private static final String CHARGE = "requestCharge";
  private static final Set<String> KEYS =
      Set.of(TOLERANCE, RUN, "collections", "shapes", "applications", "comments", RECORDED);
  private static final double TOLERANCE_DEFAULT = 0.1;

  /** Collections of this name in all databases, as a test may have one of its own. */
  private static final String ANY_DATABASE = "*.";

  private final BsonDocument content;

  private BudgetFile(BsonDocument content) {
    this.content = content;
  }

  static BudgetFile readOrEmpty(Path file) throws IOException {
    return Files.exists(file) ? read(file) : new BudgetFile(new BsonDocument());
  }

  static BudgetFile read(Path file) throws IOException {
    try {
      String text = Files.readString(file);
      return parse(isYaml(file) ? YamlText.parse(text) : BsonDocument.parse(text));
    } catch (NoSuchFileException e) {
      throw new UsageException("there is no file " + file + "; --record-budgets makes one.");
    } catch (JsonParseException | BsonInvalidOperationException | YamlEngineException e) {
      throw new UsageException(file + " is not as it should be: " + e.getMessage() + ".");
    }
  }

  private static boolean isYaml(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".yaml") || name.endsWith(".yml");
  }

  static BudgetFile parse(BsonDocument content) {
    for (Map.Entry<String, BsonValue> entry : content.entrySet()) {
      if (!KEYS.contains(entry.getKey())) {
        throw new JsonParseException(
            "it has '%s', but only these are known: %s".formatted(entry.getKey(), sorted()));
      }
    }
    var file = new BudgetFile(content);
    file.requireNumbers();
    return file;
  }

  private static String sorted() {
    return String.join(", ", KEYS.stream().sorted().toList());
  }

  private void requireNumbers() {
    requireAmount(TOLERANCE, content.get(TOLERANCE));
    requireAmount(RUN, content.get(RUN));
    for (String kind : List.of("collections", "shapes", "applications", "comments")) {
      section(kind).forEach(BudgetFile::requireAmount);
    }
    section(RECORDED).forEach((name, value) -> requireAmount(name, value.asDocument().get(CHARGE)));
  }

  private static void requireAmount(String name, BsonValue value) {
    boolean isAmount = value == null || value.isNumber() && value.asNumber().doubleValue() >= 0;
    if (!isAmount) {
      throw new JsonParseException("'%s' needs a number, not %s".formatted(name, value));
    }
  }

  private BsonDocument section(String name) {
    return content.getDocument(name, new BsonDocument());
  }

  private double tolerance() {
    BsonValue value = content.get(TOLERANCE);
    return value == null ? TOLERANCE_DEFAULT : value.asNumber().doubleValue();
  }

  /** What became of each budget; of shapes that did not run there is nothing to tell. */
  List<BudgetVerdict> check(Costs costs) {
    var verdicts = new ArrayList<BudgetVerdict>();
    if (content.containsKey(RUN)) {
      double limit = content.getNumber(RUN).doubleValue();
      verdicts.add(verdict(RUN, "", limit, costs.total(), costs));
    }
    section("collections")
        .forEach(
            (name, limit) -> {
              Sum spent = ofCollection(costs.collections(), name);
              verdicts.add(verdict("collection", name, amount(limit), spent, costs));
            });
    checkSums(verdicts, "application", section("applications"), costs.applications());
    checkSums(verdicts, "comment", section("comments"), costs.comments());
    section("shapes")
        .forEach(
            (shape, limit) -> {
              ShapeCost cost = costs.shapes().get(shape);
              if (cost != null) {
                String did = "it ran by " + cost.effort().toBson().toJson();
                verdicts.add(new BudgetVerdict("shape", shape, amount(limit), cost.dearest(), did));
              }
            });
    checkRecorded(verdicts, costs);
    return List.copyOf(verdicts);
  }

  private static void checkSums(
      List<BudgetVerdict> verdicts, String kind, BsonDocument limits, Map<String, Sum> sums) {
    limits.forEach(
        (name, limit) -> {
          Sum sum = sums.get(name);
          RequestCharge spent = sum == null ? RequestCharge.NOTHING : sum.charge();
          String count = sum == null ? "" : sum.requests() + " requests";
          verdicts.add(new BudgetVerdict(kind, name, amount(limit), spent, count));
        });
  }

  private static BudgetVerdict verdict(
      String kind, String name, double limit, Sum sum, Costs costs) {
    String dearest = costs.dearest(1).stream().map(Map.Entry::getKey).findFirst().orElse("nothing");
    return new BudgetVerdict(
        kind,
        name,
        limit,
        sum.charge(),
        sum.requests() + " requests; the dearest of the run is " + dearest);
  }

  private static Sum ofCollection(Map<String, Sum> collections, String name) {
    long requests = 0;
    long refused = 0;
    RequestCharge charge = RequestCharge.NOTHING;
    for (Map.Entry<String, Sum> entry : collections.entrySet()) {
      String namespace = entry.getKey();
      String collection = namespace.substring(namespace.indexOf('.') + 1);
      if (namespace.equals(name) || name.equals(ANY_DATABASE + collection)) {
        requests += entry.getValue().requests();
        refused += entry.getValue().refused();
        charge = charge.plus(entry.getValue().charge());
      }
    }
    return new Sum(requests, charge, refused);
  }

  private static double amount(BsonValue limit) {
    return limit.asNumber().doubleValue();
  }

  private void checkRecorded(List<BudgetVerdict> verdicts, Costs costs) {
    section(RECORDED)
        .forEach(
            (shape, recorded) -> {
              ShapeCost now = costs.shapes().get(shape);
              if (now != null) {
                verdicts.add(verdict(shape, recorded.asDocument(), now));
              }
            });
  }

  private BudgetVerdict verdict(String shape, BsonDocument recorded, ShapeCost now) {
    Effort before = Effort.parse(recorded);
    return new BudgetVerdict(
        RECORDED,
        shape,
        recorded.getNumber(CHARGE).doubleValue() * (1 + tolerance()),
        now.dearest(),
        now.effort().whyMoreThan(before),
        now.effort().hasLostIndex(before));
  }

  /** The same limits with what each shape costs now; others stay recorded if {@code isUpdate}. */
  BudgetFile record(Costs costs, boolean isUpdate) {
    var recorded = new TreeMap<String, BsonValue>(isUpdate ? section(RECORDED) : Map.of());
    costs
        .shapes()
        .forEach(
            (shape, cost) -> {
              var entry = new BsonDocument(CHARGE, rounded(cost.dearest()));
              entry.putAll(cost.effort().toBson());
              recorded.put(shape, entry);
            });
    var changed = content.clone();
    changed.putIfAbsent(TOLERANCE, new BsonDouble(TOLERANCE_DEFAULT));
    var section = new BsonDocument();
    section.putAll(recorded);
    changed.put(RECORDED, section);
    return new BudgetFile(changed);
  }

  private static BsonDouble rounded(RequestCharge charge) {
    return new BsonDouble(Math.round(charge.toDouble() * 100) / 100.0);
  }

  void write(Path file) throws IOException {
    JsonWriterSettings settings =
        JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).indent(true).build();
    String text = isYaml(file) ? YamlText.of(content) : content.toJson(settings) + "\n";
    Files.writeString(file, text, StandardCharsets.UTF_8);
  }
}
