package dev.orrery.server.command.data;

import dev.orrery.server.command.DataFixture;
import dev.orrery.server.command.data.TwinCollections.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Takes a failure apart: leaves out whatever it happens without. */
final class Shrinking {
  private final DataFixture data;
  private Setting setting;
  private BsonDocument command;

  Shrinking(DataFixture data, Setting setting, BsonDocument command) {
    this.data = data;
    this.setting = setting;
    this.command = command;
  }

  /** The smallest case found, as text. */
  String shortest(String difference) {
    if (differs(setting, command) == null) {
      return "not seen again from the start: " + difference + "\n" + text();
    }
    int size = -1;
    while (size != text().length()) {
      size = text().length();
      setting = withDocuments(without(setting.documents(), this::fails));
      setting = withIndexes(without(setting.indexes(), some -> fails(withIndexes(some))));
      command = smaller(command, one -> differs(setting, one) != null).asDocument();
      shrinkDocuments();
    }
    return differs(setting, command) + "\n" + text();
  }

  private String text() {
    var lines = new ArrayList<String>();
    lines.add("partitions: " + setting.partitions() + ", indexed last: " + setting.isIndexedLast());
    setting.documents().forEach(one -> lines.add("document " + one.toJson(IndexAnswersTest.EXACT)));
    setting.indexes().forEach(one -> lines.add("index " + one.toJson()));
    lines.add("command " + command.toJson(IndexAnswersTest.EXACT));
    return String.join("\n", lines);
  }

  private @Nullable String differs(Setting some, BsonDocument one) {
    return new TwinCollections(data, some).difference(one);
  }

  private boolean fails(List<BsonDocument> documents) {
    return differs(withDocuments(documents), command) != null;
  }

  private boolean fails(Setting some) {
    return differs(some, command) != null;
  }

  private Setting withDocuments(List<BsonDocument> documents) {
    return new Setting(documents, setting.indexes(), setting.partitions(), setting.isIndexedLast());
  }

  private Setting withIndexes(List<BsonDocument> indexes) {
    return new Setting(setting.documents(), indexes, setting.partitions(), setting.isIndexedLast());
  }

  /** Leaves out one after the other where the rest still fails. */
  private static List<BsonDocument> without(
      List<BsonDocument> list, Predicate<List<BsonDocument>> fails) {
    var rest = new ArrayList<>(list);
    for (int i = rest.size() - 1; i >= 0; i--) {
      BsonDocument removed = rest.remove(i);
      if (!fails.test(List.copyOf(rest))) {
        rest.add(i, removed);
      }
    }
    return rest;
  }

  private void shrinkDocuments() {
    for (int i = 0; i < setting.documents().size(); i++) {
      int place = i;
      Function<BsonDocument, Setting> replaced =
          one -> {
            var changed = new ArrayList<>(setting.documents());
            changed.set(place, one);
            return withDocuments(changed);
          };
      BsonDocument small =
          smaller(
                  setting.documents().get(i),
                  one -> one.containsKey("_id") && fails(replaced.apply(one)))
              .asDocument();
      setting = replaced.apply(small);
    }
  }

  /** The value with as little in it, at any depth, as still fails. */
  private static BsonValue smaller(BsonValue whole, Predicate<BsonDocument> fails) {
    return smallerPart(whole, one -> fails.test(one.asDocument()));
  }

  private static BsonValue smallerPart(BsonValue part, Predicate<BsonValue> fails) {
    BsonValue current = part;
    if (part.isDocument()) {
      for (String name : List.copyOf(part.asDocument().keySet())) {
        BsonDocument before = current.asDocument();
        BsonDocument less = before.clone();
        less.remove(name);
        current =
            fails.test(less)
                ? less
                : with(
                    before,
                    name,
                    smallerPart(before.get(name), one -> fails.test(with(before, name, one))));
      }
    } else if (part.isArray()) {
      for (int i = part.asArray().size() - 1; i >= 0; i--) {
        BsonArray before = current.asArray();
        BsonArray less = before.clone();
        less.remove(i);
        int place = i;
        current =
            fails.test(less)
                ? less
                : with(
                    before,
                    place,
                    smallerPart(before.get(place), one -> fails.test(with(before, place, one))));
      }
    }
    return current;
  }

  private static BsonDocument with(BsonDocument document, String name, BsonValue value) {
    BsonDocument changed = document.clone();
    changed.put(name, value);
    return changed;
  }

  private static BsonArray with(BsonArray array, int place, BsonValue value) {
    BsonArray changed = array.clone();
    changed.set(place, value);
    return changed;
  }
}
