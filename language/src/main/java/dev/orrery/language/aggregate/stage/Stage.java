package dev.orrery.language.aggregate.stage;

import dev.orrery.language.expression.Dependencies;
import java.util.Set;
import org.bson.BsonDocument;

/** One parsed stage of a pipeline: immutable, to be opened any number of times. */
public interface Stage {
  /** Where in a pipeline a stage may stand, and what it may read. */
  enum Trait {
    /** Makes documents out of nothing: only as the first stage. */
    FIRST,
    /** Writes: only as the last stage. */
    LAST,
    /** Runs on a database, not on a collection: {@code {aggregate: 1}}. */
    NO_COLLECTION,
    /** Runs on a database as well as on a collection. */
    ON_ANYTHING,
    NOT_IN_FACET,
    NOT_IN_LOOKUP,
    NOT_IN_UNION
  }

  /** {@code $match} and so on, as users know it. */
  String name();

  /** The stage as explain prints it. */
  BsonDocument specification();

  /** What becomes of the documents of {@code input}. Closing the result closes the input. */
  DocumentStream open(DocumentStream input, PipelineRun run);

  default Set<Trait> traits() {
    return Set.of();
  }

  /** The same stage with its constants computed; fails as {@code Expression.optimize} does. */
  default Stage optimize() {
    return this;
  }

  /**
   * Whether each document that comes out stands for one or more that went in, or none, and what it
   * has at that path is what went in: then a $match on the path may come before the stage.
   */
  default boolean preserves(String path) {
    return false;
  }

  /** Whether what becomes of a document depends on nothing but this document. */
  default boolean isPerDocument() {
    return false;
  }

  /** Fields that the stage sets whatever they were before; later stages don't need the old ones. */
  default Set<String> generatedFields() {
    return Set.of();
  }

  /**
   * Notes which fields of its input the stage reads.
   *
   * @return whether later stages see nothing but what those fields made
   */
  default boolean addDependencies(Dependencies dependencies) {
    dependencies.addWholeDocument();
    return true;
  }
}
