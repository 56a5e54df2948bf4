package dev.orrery.server.transfer.analysis;

import dev.orrery.server.transfer.source.UsageException;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
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
    private static final int NAMES_MAX = 10;

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

    /** Refuses what names a collection that does not come, and what is no number. */
    public void requireFor(Collection<Namespace> namespaces) {
      requireFor("--shard-key", shardKeys, namespaces);
      requireFor("--unique", uniqueKeys, namespaces);
      requireFor("--throughput", throughputs, namespaces);
      namespaces.forEach(this::of);
    }

    private static void requireFor(
        String option, List<String> given, Collection<Namespace> namespaces) {
      for (String text : given) {
        int end = text.indexOf('=');
        boolean isKnown =
            end < 0
                || namespaces.stream()
                    .anyMatch(name -> name.toString().equals(text.substring(0, end)));
        if (!isKnown) {
          throw new UsageException(
              "%s names %s, and what comes is %s"
                  .formatted(
                      option,
                      text.substring(0, end),
                      namespaces.isEmpty() ? "nothing" : names(namespaces)));
        }
      }
    }

    private static String names(Collection<Namespace> namespaces) {
      String first =
          namespaces.stream()
              .map(Namespace::toString)
              .sorted()
              .limit(NAMES_MAX)
              .collect(Collectors.joining(", "));
      int more = namespaces.size() - NAMES_MAX;
      return more > 0 ? first + " and " + more + " others" : first;
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
