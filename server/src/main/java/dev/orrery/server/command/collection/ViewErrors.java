package dev.orrery.server.command.collection;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.CollectionStore;

/** What commands on collections say about views. */
public final class ViewErrors {
  private ViewErrors() {}

  /** Refuses a view; a missing collection (null) passes. */
  public static void requireCollection(CollectionStore found) {
    if (found != null && found.info().isView()) {
      throw new CommandException(
          ErrorCode.COMMAND_NOT_SUPPORTED_ON_VIEW,
          "Namespace " + found.info().namespace() + " is a view, not a collection");
    }
  }

  public static CommandException notSupported(String message) {
    return new CommandException(ErrorCode.COMMAND_NOT_SUPPORTED_ON_VIEW, message);
  }
}
