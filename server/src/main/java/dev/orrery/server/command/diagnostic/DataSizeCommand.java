package dev.orrery.server.command.diagnostic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Sizes;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.storage.CollectionStore;
import java.util.function.LongSupplier;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/** {@code dataSize}: how many documents a collection has, and how many bytes they take. */
final class DataSizeCommand implements Command {
  private final Databases databases;
  private final LongSupplier nanoClock;

  DataSizeCommand(Databases databases, LongSupplier nanoClock) {
    this.databases = databases;
    this.nanoClock = nanoClock;
  }

  @Override
  public Spec spec() {
    return Spec.of("dataSize", Access.READ).alias("datasize");
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String namespace = body.requireString("dataSize");
    boolean isEstimate = body.safeBool("estimate", false);
    body.ignore("maxSize", "maxObjects");
    body.reject("keyPattern", "min", "max");
    body.finish();
    long start = nanoClock.getAsLong();
    int dot = namespace.indexOf('.');
    if (dot <= 0 || dot == namespace.length() - 1) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE, "Invalid namespace specified '" + namespace + "'");
    }
    CollectionStore found =
        databases.find(namespace.substring(0, dot), namespace.substring(dot + 1));
    ViewErrors.requireCollection(found);
    Sizes sizes = found == null ? null : Sizes.of(found);
    return new BsonDocument("estimate", BsonBoolean.valueOf(isEstimate))
        .append("size", new BsonInt64(sizes == null ? 0 : sizes.bytes()))
        .append("numObjects", new BsonInt64(sizes == null ? 0 : sizes.documents()))
        .append("millis", new BsonInt64((nanoClock.getAsLong() - start) / 1_000_000));
  }
}
