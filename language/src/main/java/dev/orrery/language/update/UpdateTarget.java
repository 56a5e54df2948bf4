package dev.orrery.language.update;

import dev.orrery.language.error.BsonText;
import org.bson.BsonDocument;

/** The field that a modifier is applied to, as far as it matters besides its value. */
record UpdateTarget(Location location, Edit edit) {
  String name() {
    return location.name();
  }

  String path() {
    return location.dottedPath();
  }

  UpdateClock clock() {
    return edit.clock();
  }

  /** The document's id as messages show it: {@code _id: 1}, or {@code otherwise}. */
  String id(String otherwise) {
    return id(edit.document(), otherwise);
  }

  static String id(BsonDocument document, String otherwise) {
    var id = document.get("_id");
    return id == null ? otherwise : BsonText.element("_id", id);
  }
}
