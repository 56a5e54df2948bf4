package dev.orrery.server.command.schema;

import static dev.orrery.language.error.ErrorCode.ILLEGAL_OPERATION;
import static dev.orrery.language.error.ErrorCode.INVALID_NAMESPACE;
import static dev.orrery.language.error.ErrorCode.NAMESPACE_EXISTS;
import static dev.orrery.language.error.ErrorCode.NAMESPACE_NOT_FOUND;

import dev.orrery.language.error.CommandException;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.command.collection.ViewErrors;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonDocument;

/** {@code renameCollection}: also into another database, and over another collection. */
final class RenameCollectionCommand implements Command {
  private static final List<String> DROP_TARGET_TYPES = List.of("bool", "binData");

  private final Databases databases;

  RenameCollectionCommand(Databases databases) {
    this.databases = databases;
  }

  @Override
  public Spec spec() {
    return Spec.of(
        "renameCollection", Access.ADMIN, Trait.LONG, Trait.ADMIN_DATABASE, Trait.WRITE_CONCERN);
  }

  @Override
  public BsonDocument run(CommandContext context, CommandReader body) {
    String from = body.requireString("renameCollection");
    String to = body.requireString("to");
    RawValue drop = body.value("dropTarget");
    body.ignore("stayTemp", "collectionUUID");
    body.finish();
    boolean dropTarget = dropTarget(drop);
    Namespace source = parse("source", from);
    Namespace target = parse("target", to);
    requireUsable("source", source);
    requireUsable("target", target);
    rename(source, target, dropTarget);
    context.awaitDurable(databases.engine().receipt());
    return new BsonDocument();
  }

  /** A UUID says which collection may be dropped; it is taken as yes. */
  private static boolean dropTarget(RawValue value) {
    if (value == null || value.type() == RawTypes.NULL) {
      return false;
    }
    if (value.type() == RawTypes.BINARY) {
      return true;
    }
    if (value.type() != RawTypes.BOOLEAN) {
      throw FieldErrors.wrongType("renameCollection.dropTarget", value.type(), DROP_TARGET_TYPES);
    }
    return value.asBoolean();
  }

  private static Namespace parse(String role, String text) {
    int dot = text.indexOf('.');
    if (dot <= 0 || dot == text.length() - 1 || text.charAt(dot + 1) == '.') {
      throw new CommandException(INVALID_NAMESPACE, "Invalid " + role + " namespace: " + text);
    }
    return new Namespace(text.substring(0, dot), text.substring(dot + 1));
  }

  private static void requireUsable(String role, Namespace namespace) {
    try {
      SystemNames.requireWritable(namespace.database(), namespace.collection());
    } catch (CommandException e) {
      throw new CommandException(
          ILLEGAL_OPERATION, "error with " + role + " namespace: " + e.getMessage());
    }
    if (namespace.collection().equals(SystemNames.VIEWS)) {
      throw new CommandException(
          ILLEGAL_OPERATION,
          "renaming system.views collection or renaming to system.views is not allowed");
    }
  }

  private void rename(Namespace source, Namespace target, boolean dropTarget) {
    if (source.equals(target)) {
      throw new CommandException(ILLEGAL_OPERATION, "Can't rename a collection to itself");
    }
    // Whoever changes either name in between makes us look again, and say what is true then.
    CollectionStore found = requireSource(source, target);
    while (!databases.engine().rename(found, source, target, dropTarget)) {
      requireFree(target, dropTarget);
      found = requireSource(source, target);
    }
  }

  private CollectionStore requireSource(Namespace source, Namespace target) {
    CollectionStore found = databases.find(source.database(), source.collection());
    if (found == null) {
      throw missing(source, target);
    }
    if (found.info().isView()) {
      throw ViewErrors.notSupported("cannot rename view: " + source);
    }
    return found;
  }

  private void requireFree(Namespace target, boolean dropTarget) {
    CollectionStore other = databases.find(target.database(), target.collection());
    if (other != null && other.info().isView()) {
      throw new CommandException(
          NAMESPACE_EXISTS, "a view already exists with that name: " + target);
    }
    if (other != null && !dropTarget) {
      throw new CommandException(NAMESPACE_EXISTS, "target namespace exists");
    }
  }

  private CommandException missing(Namespace source, Namespace target) {
    if (!source.database().equals(target.database())) {
      return new CommandException(NAMESPACE_NOT_FOUND, "source namespace does not exist");
    }
    return databases.names().contains(source.database())
        ? new CommandException(
            NAMESPACE_NOT_FOUND, "Source collection " + source + " does not exist")
        : new CommandException(
            NAMESPACE_NOT_FOUND,
            "Database " + source.database() + " does not exist or is drop pending");
  }
}
