package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Truth;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Sizes;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.RepairResult;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code validate}: checks all checksums and cross references of a collection, and with {@code
 * repair} makes anew what disagrees with the documents. MongoDB repairs only a standalone server;
 * this one, whose only copy it is, repairs while it serves.
 */
final class ValidateCommand implements Command {
  private static final BsonString ADVICE =
      new BsonString(
          "A corrupt namespace has been detected. Run validate with { repair: true }; where the log"
              + " itself is damaged, restore a backup or use orrery salvage.");

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
    String collection = body.collection();
    Options options = Options.parse(body);
    body.ignore("scandata", "fixMultikey", "logDiagnostics");
    body.finish();
    options.requirePossible();
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
    if (!options.repair) {
      List<String> faults = databases.engine().validate(found);
      return report(found, new RepairResult(List.of(), faults, 0, 0, List.of()));
    }
    return report(found, databases.engine().repair(found, context.operation()::check));
  }

  /** What MongoDB takes, as true or false; everything is true but null, zero and false. */
  private record Options(
      boolean background,
      boolean full,
      boolean enforceFastCount,
      @Nullable BsonValue checkBsonConformance,
      boolean repair,
      boolean metadata) {
    static Options parse(CommandReader body) {
      return new Options(
          Truth.isTrue(body.bsonValue("background")),
          Truth.isTrue(body.bsonValue("full")),
          Truth.isTrue(body.bsonValue("enforceFastCount")),
          body.bsonValue("checkBSONConformance"),
          Truth.isTrue(body.bsonValue("repair")),
          Truth.isTrue(body.bsonValue("metadata")));
    }

    void requirePossible() {
      boolean checksBson = Truth.isTrue(checkBsonConformance);
      refuseBoth(background, "background", full, "full");
      refuseBoth(background, "background", enforceFastCount, "enforceFastCount");
      if (checkBsonConformance != null && !checksBson && (full || enforceFastCount)) {
        throw new CommandException(
            ErrorCode.INVALID_OPTIONS,
            "Cannot explicitly set 'checkBSONConformance: false' with full validation set.");
      }
      refuseBoth(background, "background", repair, "repair");
      refuseBoth(enforceFastCount, "enforceFastCount", repair, "repair");
      refuseBoth(checksBson, "checkBSONConformance", repair, "repair");
      if (metadata && (background || full || enforceFastCount || checksBson || repair)) {
        throw new CommandException(
            ErrorCode.INVALID_OPTIONS,
            "Running the validate command with { metadata: true } is not supported with any other"
                + " options");
      }
    }

    private static void refuseBoth(boolean one, String name, boolean other, String otherName) {
      if (one && other) {
        throw new CommandException(
            ErrorCode.INVALID_OPTIONS,
            "Running the validate command with both { %s: true } and { %s: true } is not supported."
                .formatted(name, otherName));
      }
    }
  }

  private static BsonDocument report(CollectionStore collection, RepairResult result) {
    var valid = BsonBoolean.valueOf(result.remaining().isEmpty());
    var keys = new BsonDocument();
    var details = new BsonDocument();
    for (IndexSpec index : collection.info().readyIndexes()) {
      long entries = Sizes.of(collection.partitions(), index).entries();
      keys.append(index.name(), Numbers.intOrLong(entries));
      details.append(index.name(), new BsonDocument("valid", valid));
    }
    var zero = new BsonInt32(0);
    var reply =
        new BsonDocument("ns", new BsonString(collection.info().namespace().toString()))
            .append("uuid", new BsonBinary(collection.info().uuid()))
            .append("nInvalidDocuments", zero)
            .append("nNonCompliantDocuments", zero)
            .append("nrecords", Numbers.intOrLong(Sizes.of(collection).documents()))
            .append("nIndexes", new BsonInt32(keys.size()))
            .append("keysPerIndex", keys)
            .append("indexDetails", details)
            .append("valid", valid)
            .append("repaired", BsonBoolean.valueOf(result.isRepaired()))
            .append("readOnly", BsonBoolean.FALSE)
            .append("warnings", texts(warnings(result)))
            .append("errors", texts(errors(result)))
            .append("extraIndexEntries", new BsonArray())
            .append("missingIndexEntries", new BsonArray())
            .append("corruptRecords", records(result));
    if (result.isRepaired()) {
      reply
          .append("numRemovedCorruptRecords", new BsonInt32(result.givenUp().size()))
          .append("numRemovedExtraIndexEntries", Numbers.intOrLong(result.extraEntries()))
          .append("numInsertedMissingIndexEntries", Numbers.intOrLong(result.missingEntries()));
    }
    return result.remaining().isEmpty() ? reply : reply.append("advice", ADVICE);
  }

  private static BsonArray records(RepairResult result) {
    return new BsonArray(
        result.givenUp().stream().map(one -> new BsonInt64(one.recordId())).toList());
  }

  private static List<String> warnings(RepairResult result) {
    var warnings = new ArrayList<>(result.isRepaired() ? result.found() : List.of());
    result.givenUp().forEach(one -> warnings.add("Removed a corrupt document: " + one.what()));
    return warnings;
  }

  /** Why it could not be repaired, and what is wrong. */
  private static List<String> errors(RepairResult result) {
    var errors = new ArrayList<>(result.remaining());
    if (!result.isRepaired()) {
      errors.addAll(result.found());
    }
    return errors;
  }

  private static BsonArray texts(List<String> lines) {
    return new BsonArray(lines.stream().map(BsonString::new).toList());
  }
}
