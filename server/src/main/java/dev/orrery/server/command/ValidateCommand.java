package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.expression.Numbers;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.index.IndexSpec;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** {@code validate}: checks all checksums and cross references of a collection. */
final class ValidateCommand implements Command {
  private final Databases databases;

  ValidateCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of("validate", Access.ADMIN, Trait.LONG);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String collection = body.collection("validate");
    body.ignore(
        "full",
        "repair",
        "metadata",
        "checkBSONConformance",
        "background",
        "scandata",
        "fixMultikey",
        "enforceFastCount");
    body.finish();
    CollectionStore found = databases.find(context.database(), collection);
    if (found == null) {
      throw new CommandException(
          ErrorCode.NAMESPACE_NOT_FOUND,
          "Collection '%s.%s' does not exist to validate."
              .formatted(context.database(), collection));
    }
    if (found.info().isView()) {
      throw ViewErrors.notSupported("Cannot validate a view");
    }
    return report(found, databases.engine().validate(found));
  }

  private static BsonDocument report(CollectionStore collection, List<String> faults) {
    var valid = BsonBoolean.valueOf(faults.isEmpty());
    var keys = new BsonDocument();
    var details = new BsonDocument();
    for (IndexSpec index : collection.info().readyIndexes()) {
      keys.append(index.name(), Numbers.intOrLong(entries(collection, index)));
      details.append(index.name(), new BsonDocument("valid", valid));
    }
    var errors = new BsonArray();
    faults.forEach(fault -> errors.add(new BsonString(fault)));
    var zero = new BsonInt32(0);
    return new BsonDocument("ns", new BsonString(collection.info().namespace().toString()))
        .append("uuid", new BsonBinary(collection.info().uuid()))
        .append("nInvalidDocuments", zero)
        .append("nNonCompliantDocuments", zero)
        .append("nrecords", Numbers.intOrLong(Sizes.of(collection).documents()))
        .append("nIndexes", new BsonInt32(keys.size()))
        .append("keysPerIndex", keys)
        .append("indexDetails", details)
        .append("valid", valid)
        .append("repaired", BsonBoolean.FALSE)
        .append("readOnly", BsonBoolean.FALSE)
        .append("warnings", new BsonArray())
        .append("errors", errors)
        .append("extraIndexEntries", new BsonArray())
        .append("missingIndexEntries", new BsonArray())
        .append("corruptRecords", new BsonArray());
  }

  private static long entries(CollectionStore collection, IndexSpec index) {
    long entries = 0;
    for (PartitionStore partition : collection.partitions()) {
      entries += partition.statistics(index).entries();
    }
    return entries;
  }
}
