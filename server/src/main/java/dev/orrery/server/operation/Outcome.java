package dev.orrery.server.operation;

/** What became of a request. */
public enum Outcome {
  OK,
  /** Refused for want of request units, all of it or a part. */
  THROTTLED,
  /** Answered with an error that its sender can do something about. */
  FAILED,
  /** Answered with InternalError: a mistake of ours. */
  BROKEN
}
