package dev.orrery.language.expression;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What a set of expressions reads: field paths of the document, variables, metadata. */
public final class Dependencies {
  private static final Map<String, String> SCARCE_METADATA =
      Map.of(
          "geoNearDistance", "$geoNear distance",
          "geoNearPoint", "$geoNear point",
          "textScore", "text score");

  private final Set<String> fields = new TreeSet<>();
  private final Set<Integer> slots = new TreeSet<>();
  private final Set<String> metadata = new TreeSet<>();
  private boolean needsWholeDocument;

  public static Dependencies of(Expression... expressions) {
    var dependencies = new Dependencies();
    for (Expression expression : expressions) {
      expression.addDependencies(dependencies);
    }
    return dependencies;
  }

  /** The dotted paths read from the root document; incomplete if the whole document is needed. */
  public Set<String> fields() {
    return fields;
  }

  public boolean needsWholeDocument() {
    return needsWholeDocument;
  }

  /** The variables read, by slot, including those that the expressions themselves bind. */
  public Set<Integer> slots() {
    return slots;
  }

  /** The names that {@code $meta} asks for. */
  public Set<String> metadata() {
    return metadata;
  }

  /** Refuses metadata that only some sources provide and this one does not. */
  public void requireMetadata(Set<String> available) {
    for (Map.Entry<String, String> scarce : SCARCE_METADATA.entrySet()) {
      if (metadata.contains(scarce.getKey()) && !available.contains(scarce.getKey())) {
        throw new CommandException(
            ErrorCode.LOCATION_40218,
            "query requires " + scarce.getValue() + " metadata, but it is not available");
      }
    }
  }

  public void addField(String path) {
    fields.add(path);
  }

  /**
   * Notes that it matters whether a field is there, is an array, and how many elements it has, but
   * no field of the documents in it: a path below it that no document has.
   */
  public void addShape(String path) {
    fields.add(path + ".\0");
  }

  public void addWholeDocument() {
    needsWholeDocument = true;
  }

  void addSlot(int slot) {
    slots.add(slot);
  }

  public void addMetadata(String name) {
    metadata.add(name);
  }
}
