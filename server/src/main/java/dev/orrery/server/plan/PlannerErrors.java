package dev.orrery.server.plan;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;

/** Why MongoDB finds no plan; commands put the query before it, in their own words. */
final class PlannerErrors {
  private PlannerErrors() {}

  static CommandException badHint() {
    return new CommandException(
        ErrorCode.BAD_VALUE, "hint provided does not correspond to an existing index");
  }

  static CommandException noHint() {
    return new CommandException(
        ErrorCode.LOCATION_51173,
        "When using min()/max() a hint of which index to use must be provided");
  }

  static CommandException incompatibleRange() {
    return new CommandException(
        ErrorCode.LOCATION_51174, "The index chosen is not compatible with min/max");
  }

  static CommandException emptyRange() {
    return new CommandException(
        ErrorCode.LOCATION_51175,
        "The value provided for min() does not come before the value provided for max() in the"
            + " hinted index");
  }

  static CommandException noGeoIndex() {
    return new CommandException(
        ErrorCode.NO_QUERY_EXECUTION_PLANS, "unable to find index for $geoNear query");
  }

  static CommandException noSolution() {
    return new CommandException(ErrorCode.NO_QUERY_EXECUTION_PLANS, "No query solutions");
  }
}
