package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import java.util.Arrays;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What an expression sees while it is evaluated: the current document, its metadata, and the values
 * of the variables. Owned by one thread and reused from document to document.
 */
public final class Scope {
  private static final BsonDocument EMPTY = new BsonDocument();
  private static final int SLOTS_AT_FIRST = 8;

  private BsonDocument root = EMPTY;
  private Map<String, BsonValue> metadata = Map.of();
  private @Nullable BsonValue[] slots = new BsonValue[SLOTS_AT_FIRST];
  private Allowance allowance = Allowance.current();

  public Scope() {}

  public Scope(BsonDocument root) {
    this.root = root;
  }

  /** Moves on to another document; variables keep their values. */
  public Scope root(BsonDocument document) {
    this.root = document;
    this.allowance = Allowance.current(); // a later request may go on with the same scope
    return this;
  }

  /** Lets go of the document, which may be a large one: the next evaluation brings its own. */
  public void leaveRoot() {
    root = EMPTY;
  }

  /** That of the request for which the current document is looked at. */
  Allowance allowance() {
    return allowance;
  }

  /** Counts as many steps of the request. */
  public void step(int count) {
    allowance.steps(count);
  }

  /** What {@code $meta} finds for the current document, by name: textScore, sortKey ... */
  public Scope metadata(Map<String, BsonValue> metadata) {
    this.metadata = metadata;
    return this;
  }

  public BsonDocument root() {
    return root;
  }

  /** All that {@code $meta} finds for the current document. */
  public Map<String, BsonValue> metadata() {
    return metadata;
  }

  public @Nullable BsonValue metadata(String name) {
    return metadata.get(name);
  }

  /** Gives a variable its value; {@link ParseContext#slot} tells the slot of a name. */
  public Scope bind(int slot, @Nullable BsonValue value) {
    if (slot >= slots.length) {
      slots = Arrays.copyOf(slots, Math.max(slot + 1, slots.length * 2));
    }
    slots[slot] = value;
    return this;
  }

  public @Nullable BsonValue variable(int slot) {
    return slot < slots.length ? slots[slot] : null;
  }

  /** A scope with the same variables and no document: for a sub-pipeline of the current one. */
  public Scope fork() {
    var fork = new Scope();
    fork.slots = slots.clone();
    return fork;
  }
}
