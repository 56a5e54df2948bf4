package dev.orrery.server.stream;

import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** What an update changed, as events tell it: {@code {updatedFields, removedFields, ...}}. */
final class UpdateDescription {
  private final BsonDocument updated = new BsonDocument();
  private final BsonArray removed = new BsonArray();
  private final BsonArray truncated = new BsonArray();
  private final BsonDocument disambiguated = new BsonDocument();

  private UpdateDescription() {}

  /**
   * @param delta as {@link dev.orrery.language.update.DocumentDifference} describes it
   */
  static BsonDocument of(RawDocument delta, boolean isExpanded) {
    var description = new UpdateDescription();
    description.add(delta.toBsonDocument(), new Path(List.of(), false));
    var document =
        new BsonDocument("updatedFields", description.updated)
            .append("removedFields", description.removed)
            .append("truncatedArrays", description.truncated);
    return isExpanded ? document.append("disambiguatedPaths", description.disambiguated) : document;
  }

  /**
   * A way into a document.
   *
   * @param isAmbiguous whether a part of it looks like something else when it is written with dots
   */
  private record Path(List<BsonValue> parts, boolean isAmbiguous) {
    Path field(String name) {
      boolean isNumber =
          !name.isEmpty() && name.chars().allMatch(each -> each >= '0' && each <= '9');
      boolean isOdd = name.contains(".") || (isNumber && !parts.isEmpty());
      return with(new BsonString(name), isOdd);
    }

    Path element(int index) {
      return with(new BsonInt32(index), false);
    }

    private Path with(BsonValue part, boolean isOdd) {
      var longer = new ArrayList<>(parts);
      longer.add(part);
      return new Path(longer, isAmbiguous || isOdd);
    }

    String dotted() {
      var text = new StringBuilder();
      for (BsonValue part : parts) {
        text.append(text.length() == 0 ? "" : ".");
        text.append(part.isString() ? part.asString().getValue() : part.asInt32().getValue());
      }
      return text.toString();
    }
  }

  private void add(BsonDocument delta, Path path) {
    if (delta.containsKey("a")) {
      addArray(delta, path);
      return;
    }
    delta.forEach(
        (key, value) -> {
          switch (key) {
            case "d" -> value.asDocument().keySet().forEach(name -> remove(path.field(name)));
            case "u", "i" ->
                value.asDocument().forEach((name, now) -> update(path.field(name), now));
            default -> add(value.asDocument(), path.field(key.substring(1)));
          }
        });
  }

  private void addArray(BsonDocument delta, Path path) {
    delta.forEach(
        (key, value) -> {
          if (key.equals("l")) {
            truncated.add(
                new BsonDocument("field", new BsonString(path.dotted())).append("newSize", value));
            note(path);
          } else if (!key.equals("a")) {
            Path element = path.element(Integer.parseInt(key.substring(1)));
            if (key.charAt(0) == 'u') {
              update(element, value);
            } else {
              add(value.asDocument(), element);
            }
          }
        });
  }

  private void remove(Path path) {
    removed.add(new BsonString(path.dotted()));
    note(path);
  }

  private void update(Path path, BsonValue value) {
    updated.append(path.dotted(), value);
    note(path);
  }

  private void note(Path path) {
    if (path.isAmbiguous) {
      disambiguated.append(path.dotted(), new BsonArray(path.parts));
    }
  }
}
