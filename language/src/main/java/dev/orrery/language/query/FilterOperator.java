package dev.orrery.language.query;

/** How one operator on a field is parsed. */
interface FilterOperator {
  /** The filter it stands for, or null if a sibling ({@code $regex}) stands for both. */
  Filter parse(OperatorCall call);
}
