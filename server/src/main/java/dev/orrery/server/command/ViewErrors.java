package dev.orrery.server.command;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.storage.CollectionStore;

/** What commands on collections say about views. */
final class ViewErrors {
  private ViewErrors() {}

  /** Refuses a view; a missing collection (null) passes. */
  static void requireCollection(CollectionStore found) {
    if (found != null && found.info().isView()) {
      throw new CommandException(
          ErrorCode.COMMAND_NOT_SUPPORTED_ON_VIEW,
          "Namespace " + found.info().namespace() + " is a view, not a collection");
    }
  }

  static CommandException notSupported(String message) {
    return new CommandException(ErrorCode.COMMAND_NOT_SUPPORTED_ON_VIEW, message);
  }
}
