package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.MappingStage;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.expression.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * Sets fields of events. An event of a document has a place for {@code fullDocument} and for {@code
 * updateDescription} even if it lacks them: who adds one finds it there, not behind all others.
 */
record EventPlaces(AddFieldsStage fields) implements MappingStage {
  private static final Set<String> PLACES = Set.of("fullDocument", "updateDescription");

  /** What keeps the places: whatever comes after anything else finds fields only. */
  private static final Set<String> KEEPING = Set.of("$match", "$addFields", "$set", "$unset");

  /** The same stages, which know what they work on: the places, and where the stream begins. */
  static List<Stage> known(List<Stage> stages) {
    var all = new ArrayList<Stage>(stages);
    int last = all.size() - 1;
    if (all.get(0) instanceof ChangeStreamStage first) {
      all.set(0, first.matching(matches(stages)));
      if (all.get(last) instanceof SplitLargeEventStage split) {
        all.set(last, split.after(first.options().after()));
      }
    }
    for (int i = 1; i < all.size() && KEEPING.contains(all.get(i).name()); i++) {
      if (all.get(i) instanceof AddFieldsStage added && isNeeded(added)) {
        all.set(i, new EventPlaces(added));
      }
    }
    return all;
  }

  /** Those that stand right behind the stream. */
  private static List<MatchStage> matches(List<Stage> stages) {
    var matches = new ArrayList<MatchStage>();
    for (int i = 1; i < stages.size() && stages.get(i) instanceof MatchStage match; i++) {
      matches.add(match);
    }
    return matches;
  }

  private static boolean isNeeded(AddFieldsStage stage) {
    return stage.tree().children().keySet().stream().anyMatch(PLACES::contains);
  }

  @Override
  public String name() {
    return fields.name();
  }

  @Override
  public BsonDocument specification() {
    return fields.specification();
  }

  @Override
  public BsonDocument map(BsonDocument event, Scope scope) {
    BsonDocument changed = fields.map(event, scope);
    boolean isNew =
        PLACES.stream().anyMatch(name -> changed.containsKey(name) && !event.containsKey(name));
    return isNew && event.containsKey("documentKey") ? ordered(event, changed) : changed;
  }

  private static BsonDocument ordered(BsonDocument event, BsonDocument changed) {
    var ordered = new BsonDocument();
    for (Map.Entry<String, BsonValue> field : changed.entrySet()) {
      String name = field.getKey();
      boolean isAdded = PLACES.contains(name) && !event.containsKey(name);
      if (name.equals("ns")) {
        move("fullDocument", changed, ordered);
      }
      if (!isAdded) {
        ordered.put(name, field.getValue());
      }
      if (name.equals("documentKey")) {
        move("updateDescription", changed, ordered);
      }
    }
    PLACES.forEach(name -> move(name, changed, ordered));
    return ordered;
  }

  private static void move(String name, BsonDocument from, BsonDocument to) {
    if (from.containsKey(name)) {
      to.putIfAbsent(name, from.get(name));
    }
  }
}
