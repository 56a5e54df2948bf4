package dev.orrery.server.plan;

import dev.orrery.storage.catalog.IndexSpec;
import java.util.List;
import org.bson.BsonDocument;

/** A way to carry out a query; may be opened any number of times. */
public interface QueryPlan {
  DocumentCursor open(Execution execution);

  /**
   * Whether it surely ends within microseconds, such as a read by primary key: then it may run on
   * an event loop.
   */
  boolean isShort();

  /** Whether it reads at most one document, by its primary key. */
  boolean isPointRead();

  /** Whether it must read all documents and sort them before it gives the first. */
  boolean sortsInMemory();

  /** The same without what does not matter for counting: order, form, documents, skip, limit. */
  QueryPlan forCount();

  /** How many results there are, skip and limit considered. */
  long count(Execution execution);

  /**
   * The same plan for one partition after the other, in the order in which it asks them: one after
   * the other they give what it gives. A plan that orders or limits what the partitions give
   * together is its own only part.
   */
  List<QueryPlan> parts();

  /** How many documents it expects to read. */
  double documents();

  /** The indexes that it scans, for statistics of their use. */
  List<IndexSpec> indexes();

  /** Where it reads, in a few words: {@code COLLSCAN}, or {@code IXSCAN { a: 1 }}. */
  String summary();

  /** About how many bytes explain would tell of it. */
  long explainedBytes();

  /**
   * The fields {@code explainVersion}, {@code queryPlanner} and, if the verbosity asks for it,
   * {@code executionStats} of explain's reply; for the latter the plan is run to its end.
   */
  BsonDocument explain(ExplainVerbosity verbosity, Execution execution);
}
