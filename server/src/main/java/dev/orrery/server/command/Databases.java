package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.Namespace;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.index.IndexSpec;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Collections as commands see them: found by name, and created by the first write. */
public final class Databases {
  private final StorageEngine engine;

  public Databases(StorageEngine engine) {
    this.engine = engine;
  }

  public StorageEngine engine() {
    return engine;
  }

  /** The collection or view, or null when there is none. */
  public @Nullable CollectionStore find(String database, String collection) {
    return engine.find(new Namespace(database, collection));
  }

  /** The collection or view, or NamespaceNotFound in MongoDB's words. */
  public CollectionStore require(String database, String collection) {
    CollectionStore found = find(database, collection);
    if (found == null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_NOT_FOUND, "ns does not exist: " + database + "." + collection);
    }
    return found;
  }

  /** The collection, created with defaults if it is missing. */
  public CollectionStore findOrCreate(String database, String collection) {
    var namespace = new Namespace(database, collection);
    for (; ; ) {
      CollectionStore found = engine.find(namespace);
      if (found != null) {
        return found;
      }
      CollectionStore created = create(namespace, plain());
      if (created != null) {
        return created;
      }
    }
  }

  private static CollectionInfo.Creation plain() {
    return new CollectionInfo.Creation(
        new BsonDocument(), null, List.of(IndexSpec.idIndex()), 1, new BsonDocument());
  }

  /** Creates a collection or view; null when the name is taken. */
  public @Nullable CollectionStore create(Namespace namespace, CollectionInfo.Creation creation) {
    for (String other : names()) {
      if (other.equalsIgnoreCase(namespace.database()) && !other.equals(namespace.database())) {
        throw new CommandException(
            ErrorCode.DATABASE_DIFFER_CASE,
            "db already exists with different case already have: [%s] trying to create [%s]"
                .formatted(other, namespace.database()));
      }
    }
    return engine.create(namespace, creation);
  }

  /** All databases that have a collection. */
  public SortedSet<String> names() {
    var names = new TreeSet<String>();
    for (CollectionStore collection : engine.collections()) {
      names.add(collection.info().namespace().database());
    }
    return names;
  }

  /** The collections and views of a database, sorted by name. */
  public List<CollectionStore> in(String database) {
    return engine.collections().stream()
        .filter(one -> one.info().namespace().database().equals(database))
        .toList();
  }
}
