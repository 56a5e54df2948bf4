package dev.orrery.server.expression;

import java.util.Set;
import java.util.TreeSet;

/** What a set of expressions reads: field paths of the document, variables, metadata. */
public final class Dependencies {
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

  public void addField(String path) {
    fields.add(path);
  }

  public void addWholeDocument() {
    needsWholeDocument = true;
  }

  void addSlot(int slot) {
    slots.add(slot);
  }

  void addMetadata(String name) {
    metadata.add(name);
  }
}
