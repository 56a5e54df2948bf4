package dev.orrery.server.advisor;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.query.Equalities;
import dev.orrery.language.query.Filter;
import dev.orrery.server.synthetic.SyntheticKey;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A partition key that might be chosen: a field, two fields one behind the other, or a field with a
 * suffix that another one decides about. Values and targets are those that the server would have.
 */
public final class Candidate {
  /** What the field of a synthetic key is called in definitions. */
  static final String FIELD = "pk";

  private final String name;
  private final List<String> inputs;
  private final @Nullable FieldPath path;
  private final @Nullable SyntheticKey synthetic;

  private Candidate(
      String name,
      List<String> inputs,
      @Nullable FieldPath path,
      @Nullable SyntheticKey synthetic) {
    this.name = name;
    this.inputs = List.copyOf(inputs);
    this.path = path;
    this.synthetic = synthetic;
  }

  public static Candidate field(String path) {
    return new Candidate(path, List.of(path), FieldPath.parse(path), null);
  }

  /** {@code a-b}. */
  public static Candidate pair(String first, String second) {
    var parts = new BsonArray(List.of(text(first), new BsonString("-"), text(second)));
    var definition = new BsonDocument(FIELD, new BsonDocument("$concat", parts));
    return new Candidate(
        first + " + \"-\" + " + second,
        List.of(first, second),
        null,
        SyntheticKey.parse(definition));
  }

  /** {@code a.1} to {@code a.count}, by the hash of another field. */
  public static Candidate suffixed(String base, String spread, int count) {
    var arguments =
        new BsonArray(
            List.of(
                new BsonString("$" + base), new BsonString("$" + spread), new BsonInt32(count)));
    var definition = new BsonDocument(FIELD, new BsonDocument("$hashSuffix", arguments));
    return new Candidate(
        "%s with 1 of %d suffixes by %s".formatted(base, count, spread),
        List.of(base, spread),
        null,
        SyntheticKey.parse(definition));
  }

  private static BsonValue text(String path) {
    return new BsonDocument("$toString", new BsonString("$" + path));
  }

  /** In words. */
  public String name() {
    return name;
  }

  /** Whether the server makes it of other fields. */
  public boolean isSynthetic() {
    return synthetic != null;
  }

  /** The fields that it is, or is made of. */
  public List<String> inputs() {
    return inputs;
  }

  boolean isId() {
    return path != null && name.equals("_id");
  }

  /** The fields of a {@code shardCollection} that make it the key. */
  public BsonDocument toBson() {
    String field = synthetic == null ? name : FIELD;
    var fields = new BsonDocument("key", new BsonDocument(field, new BsonString("hashed")));
    return synthetic == null ? fields : fields.append("synthetic", synthetic.definition());
  }

  /** What a document's key can be. */
  record Key(@Nullable RawValue value, boolean isPossible) {
    static final Key MISSING = new Key(null, true);

    /** An array on its way, or a value that no key can be made of. */
    static final Key IMPOSSIBLE = new Key(null, false);
  }

  /** The key of a document. */
  Key of(RawDocument document) {
    if (path != null) {
      RawValue value = path.findOrArray(document);
      return value == null ? Key.MISSING : new Key(value, !value.isArray());
    }
    try {
      return new Key(RawValue.of(synthetic.of(document)), true);
    } catch (CommandException e) {
      return Key.IMPOSSIBLE;
    }
  }

  /** The values that the key can have where a filter matches; null if it leaves that open. */
  @Nullable List<RawValue> fixedBy(Filter filter) {
    return path != null ? Equalities.fixedValues(filter, path) : synthetic.derive(filter);
  }

  /** Whether an update of a field changes it. */
  boolean isTouchedBy(String updated) {
    for (String input : inputs) {
      boolean isInside = updated.startsWith(input + ".") || input.startsWith(updated + ".");
      if (isInside || updated.equals(input)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return name;
  }
}
