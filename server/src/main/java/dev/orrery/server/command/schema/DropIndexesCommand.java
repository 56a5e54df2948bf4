package dev.orrery.server.command.schema;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** {@code dropIndexes}: by name, by names, by key pattern, or all but the one on {@code _id}. */
final class DropIndexesCommand implements Command {
  private static final String ALL = "*";
  private static final List<String> TYPES = List.of("string", "object");

  private final Databases databases;

  DropIndexesCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("dropIndexes", Access.WRITE, Trait.LONG, Trait.STABLE_API, Trait.WRITE_CONCERN)
        .alias("deleteIndexes");
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String collection = body.collection();
    RawValue index = body.value("index");
    body.ignore("collectionUUID");
    body.finish();
    requireType(index);
    CollectionStore found = databases.find(context.database(), collection);
    if (found == null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_NOT_FOUND, "ns not found " + context.database() + "." + collection);
    }
    if (found.info().isView()) {
      throw ViewErrors.notSupported("Cannot drop indexes on view " + found.info().namespace());
    }
    int before = found.info().indexes().size();
    List<String> names = names(found.info(), index);
    boolean isAll = !names.isEmpty() && names.get(0).equals(ALL);
    for (String name : isAll ? allBut(found.info()) : names) {
      databases.engine().dropIndex(found, name);
    }
    context.awaitDurable(databases.engine().receipt());
    var reply = new BsonDocument("nIndexesWas", new BsonInt32(before));
    if (isAll) {
      reply.append("msg", new BsonString("non-_id indexes dropped for collection"));
    }
    return reply;
  }

  private static void requireType(RawValue index) {
    if (index == null) {
      throw FieldErrors.missing("dropIndexes.index");
    }
    if (index.isArray()) {
      List<RawValue> names = index.asDocument().toValues();
      for (int i = 0; i < names.size(); i++) {
        if (names.get(i).type() != RawTypes.STRING) {
          throw FieldErrors.wrongType("dropIndexes.index." + i, names.get(i).type(), "string");
        }
      }
    } else if (index.type() != RawTypes.STRING && !index.isDocument()) {
      throw FieldErrors.wrongType("dropIndexes.index", index.type(), TYPES);
    }
  }

  /** All are looked up before the first is dropped. */
  private static List<String> names(CollectionInfo info, RawValue index) {
    if (index.isDocument()) {
      return List.of(byKey(info, index.asDocument().toBsonDocument()));
    }
    var names = new ArrayList<String>();
    if (index.isArray()) {
      index.asDocument().toValues().forEach(name -> names.add(name.asString()));
    } else {
      names.add(index.asString());
    }
    if (!names.isEmpty() && names.get(0).equals(ALL)) {
      return names;
    }
    for (String name : names) {
      CollectionInfo.IndexEntry entry = info.index(name);
      if (entry == null) {
        throw new CommandException(
            ErrorCode.INDEX_NOT_FOUND, "index not found with name [" + name + "]");
      }
      requireDroppable(entry.spec());
    }
    return names;
  }

  private static String byKey(CollectionInfo info, BsonDocument key) {
    List<IndexSpec> found = withKey(info, key);
    if (found.isEmpty()) {
      throw new CommandException(
          ErrorCode.INDEX_NOT_FOUND, "can't find index with key: " + BsonText.document(key));
    }
    if (found.size() > 1) {
      throw new CommandException(
          ErrorCode.AMBIGUOUS_INDEX_KEY_PATTERN,
          "%d indexes found for key: %s, identify by name instead. Conflicting indexes: %s, %s"
              .formatted(
                  found.size(),
                  BsonText.document(key),
                  BsonText.document(found.get(0).document()),
                  BsonText.document(found.get(1).document())));
    }
    requireDroppable(found.get(0));
    return found.get(0).name();
  }

  static List<IndexSpec> withKey(CollectionInfo info, BsonDocument key) {
    return info.readyIndexes().stream()
        .filter(index -> BsonOrder.CANONICAL.areEqual(index.keyPattern(), key))
        .toList();
  }

  private static void requireDroppable(IndexSpec index) {
    if (index.isIdIndex()) {
      throw new CommandException(ErrorCode.INVALID_OPTIONS, "cannot drop _id index");
    }
  }

  private static List<String> allBut(CollectionInfo info) {
    return info.readyIndexes().stream()
        .filter(index -> !index.isIdIndex())
        .map(IndexSpec::name)
        .toList();
  }
}
