package dev.orrery.server.transfer.analysis;

import dev.orrery.language.error.CommandException;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.IndexKeys;
import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * What would become of one index: whether it can be built, and which documents stand in its way.
 */
final class IndexAnalysis implements Closeable {
  private static final int KEYS_IN_MEMORY = 500_000;
  private static final int KEY_HASH_BYTES = 16;

  private final String name;
  private final @Nullable IndexSpec spec;
  private final @Nullable String shardKey;
  private final @Nullable IndexKeys keys;
  private final @Nullable String refusal;
  private final @Nullable DuplicateFinder duplicates;
  private DuplicateFinder.@Nullable Duplicates found;
  private long unfit;
  private String unfitReason = "";

  IndexAnalysis(BsonDocument index, @Nullable String shardKey) {
    this.name = index.getString("name", new BsonString("without a name")).getValue();
    this.shardKey = shardKey;
    IndexSpec read = null;
    IndexKeys extracted = null;
    String problem = null;
    try {
      read = IndexSpec.of(index);
      extracted = keys(read);
    } catch (CommandException | IllegalArgumentException | BsonInvalidOperationException e) {
      problem = e.getMessage();
    }
    this.spec = read;
    this.keys = extracted;
    this.refusal = problem;
    this.duplicates =
        extracted != null && read.isUnique() ? new DuplicateFinder(KEYS_IN_MEMORY) : null;
  }

  private static IndexKeys keys(IndexSpec spec) {
    var hooks = new QueryHooks();
    BsonDocument partial = spec.partialFilter();
    Predicate<RawDocument> filter = partial == null ? document -> true : hooks.filter(partial);
    StringOrder strings =
        spec.collation() == null ? StringOrder.UTF8 : hooks.collation(spec.collation());
    return IndexKeys.of(spec, strings, filter, hooks::specialKeys);
  }

  /** Counts a document in; uniqueness holds inside one partition key. */
  void add(RawDocument document, long ordinal, @Nullable EffectivePartitionKey partition)
      throws IOException {
    if (keys == null) {
      return;
    }
    List<byte[]> found;
    try {
      found = keys.of(document);
    } catch (IndexKeyException e) {
      unfit++;
      unfitReason = e.getMessage();
      return;
    }
    if (duplicates != null) {
      for (byte[] key : found) {
        duplicates.add(partition == null ? key : prefixed(partition, key), ordinal);
      }
    }
  }

  private static byte[] prefixed(EffectivePartitionKey partition, byte[] key) {
    byte[] all = Arrays.copyOf(partition.toByteArray(), KEY_HASH_BYTES + key.length);
    System.arraycopy(key, 0, all, KEY_HASH_BYTES, key.length);
    return all;
  }

  /** To be called when all documents were added. */
  void finish() throws IOException {
    if (duplicates != null) {
      found = duplicates.find();
    }
  }

  /** Whether an import would succeed with it. */
  boolean isSound() {
    return refusal == null && unfit == 0 && (found == null || found.count() == 0);
  }

  List<String> report() {
    var lines = new ArrayList<String>();
    if (refusal != null) {
      lines.add("  index %s will be refused: %s".formatted(name, refusal));
    }
    if (unfit > 0) {
      lines.add("  index %s cannot take %,d documents: %s".formatted(name, unfit, unfitReason));
    }
    if (found != null && found.count() > 0) {
      lines.add(
          "  index %s is unique, and %,d documents repeat a key%s, for example %s"
              .formatted(
                  name,
                  found.count(),
                  shardKey == null ? "" : " within one " + shardKey,
                  examples(found)));
    }
    if (spec != null && spec.isUnique() && !spec.isIdIndex()) {
      addCosmosRules(lines);
    }
    return lines;
  }

  private static String examples(DuplicateFinder.Duplicates found) {
    return String.join(
        ", ",
        found.examples().stream()
            .map(pair -> "number %,d and %,d".formatted(pair[0] + 1, pair[1] + 1))
            .toList());
  }

  private void addCosmosRules(List<String> lines) {
    boolean hasShardKey =
        shardKey == null
            || spec.fields().stream()
                .map(IndexField::path)
                .anyMatch(path -> path.dotted().equals(shardKey));
    if (!hasShardKey) {
      lines.add(
          "  index %s is unique without %s: it holds within one value of it only, and --profile cosmos refuses it (67)"
              .formatted(name, shardKey));
    }
  }

  @Override
  public void close() {
    if (duplicates != null) {
      duplicates.close();
    }
  }
}
