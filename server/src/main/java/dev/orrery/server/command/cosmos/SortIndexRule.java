package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Cosmos DB never sorts in memory: one field needs an index on just that field, several need an
 * index with just those fields in that order, in these directions or all of them reversed.
 */
final class SortIndexRule {
  private static final String WILDCARD = "$**";

  private SortIndexRule() {}

  /** The refusal of a sort that no index of the collection can serve; null when one can. */
  static @Nullable CommandException check(CollectionInfo collection, RawDocument sort) {
    var paths = new ArrayList<String>();
    var directions = new ArrayList<Boolean>();
    RawElements fields = sort.elements();
    while (fields.next()) {
      if (fields.name().equals("$natural") || !fields.value().isNumber()) {
        return null; // not by values, or for the command to refuse
      }
      paths.add(fields.name());
      directions.add(isDescending(fields.value().toBsonValue()));
    }
    if (paths.size() == 1 && !hasIndex(collection, paths.get(0))) {
      return new CommandException(
          ErrorCode.BAD_VALUE,
          "The index path corresponding to the specified order-by item is excluded.");
    }
    if (paths.size() > 1 && !hasCompound(collection, paths, directions)) {
      return new CommandException(
          ErrorCode.BAD_VALUE,
          "The order by query does not have a corresponding composite index that it can be served"
              + " from.");
    }
    return null;
  }

  private static boolean isDescending(BsonValue direction) {
    return direction.isNumber() && direction.asNumber().doubleValue() < 0;
  }

  /** {@code _id} and the shard key are always indexed. */
  private static boolean hasIndex(CollectionInfo collection, String path) {
    if (path.equals("_id") || path.equals(collection.partitionKey())) {
      return true;
    }
    for (IndexSpec index : collection.readyIndexes()) {
      BsonDocument key = index.keyPattern();
      boolean isOrdered = key.size() == 1 && key.get(key.getFirstKey()).isNumber();
      if (isOrdered && covers(key.getFirstKey(), path)) {
        return true;
      }
    }
    return false;
  }

  private static boolean covers(String indexed, String path) {
    if (!indexed.endsWith(WILDCARD)) {
      return indexed.equals(path);
    }
    return path.startsWith(indexed.substring(0, indexed.length() - WILDCARD.length()));
  }

  private static boolean hasCompound(
      CollectionInfo collection, List<String> paths, List<Boolean> directions) {
    for (IndexSpec index : collection.readyIndexes()) {
      BsonDocument key = index.keyPattern();
      if (!List.copyOf(key.keySet()).equals(paths)) {
        continue;
      }
      List<Boolean> indexed = key.values().stream().map(SortIndexRule::isDescending).toList();
      List<Boolean> reversed = indexed.stream().map(descending -> !descending).toList();
      if (indexed.equals(directions) || reversed.equals(directions)) {
        return true;
      }
    }
    return false;
  }
}
