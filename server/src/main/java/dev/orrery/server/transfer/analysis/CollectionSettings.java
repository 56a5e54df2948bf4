package dev.orrery.server.transfer.analysis;

import dev.orrery.server.transfer.source.UsageException;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * What a collection shall get besides what the source says of it.
 *
 * @param shardKey the path of the partition key, or null
 * @param uniqueKeys lists of paths, each unique together
 * @param throughput in request units a second, or null
 */
public record CollectionSettings(
    @Nullable String shardKey, List<List<String>> uniqueKeys, @Nullable Integer throughput) {
  public CollectionSettings {
    uniqueKeys = List.copyOf(uniqueKeys);
  }

  /**
   * Options as given: each is for all collections, or with {@code DATABASE.COLLECTION=} for one.
   */
  public record Given(List<String> shardKeys, List<String> uniqueKeys, List<String> throughputs) {
    public CollectionSettings of(Namespace namespace) {
      List<String> keys = values(shardKeys, namespace);
      List<String> throughput = values(throughputs, namespace);
      var unique = new ArrayList<List<String>>();
      values(uniqueKeys, namespace).forEach(paths -> unique.add(List.of(paths.split(","))));
      return new CollectionSettings(
          keys.isEmpty() ? null : keys.get(keys.size() - 1),
          unique,
          throughput.isEmpty() ? null : number(throughput.get(throughput.size() - 1)));
    }

    /** All partition keys that were given for a collection; a dry run compares them. */
    public List<String> candidates(Namespace namespace) {
      return values(shardKeys, namespace);
    }

    /** Those for all collections, then those for this one. */
    private static List<String> values(List<String> given, Namespace namespace) {
      String prefix = namespace + "=";
      var values = new ArrayList<String>();
      given.stream().filter(text -> !text.contains("=")).forEach(values::add);
      given.stream()
          .filter(text -> text.startsWith(prefix))
          .forEach(text -> values.add(text.substring(prefix.length())));
      return values;
    }

    private static int number(String text) {
      try {
        return Integer.parseInt(text);
      } catch (NumberFormatException e) {
        throw new UsageException("--throughput is a number of request units, not " + text);
      }
    }
  }

  /** The unique keys as indexes. */
  public List<BsonDocument> uniqueIndexes() {
    var indexes = new ArrayList<BsonDocument>();
    for (List<String> paths : uniqueKeys) {
      var key = new BsonDocument();
      paths.forEach(path -> key.append(path, new BsonInt32(1)));
      String name = String.join("_1_", paths) + "_1";
      indexes.add(
          new BsonDocument("key", key)
              .append("name", new BsonString(name))
              .append("unique", BsonBoolean.TRUE));
    }
    return indexes;
  }
}
