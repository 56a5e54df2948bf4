package dev.orrery.server.command.collection;

import dev.orrery.language.limit.Allowance;
import dev.orrery.storage.catalog.CollectionInfo;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** The validators of collections, each compiled once for every change of its options. */
public final class Validators {
  private static final int KEPT_MAX = 1000;

  /** A validator and the very options it comes from. */
  private record Compiled(BsonDocument options, @Nullable DocumentValidator validator) {}

  private final Map<UUID, Compiled> compiled = new ConcurrentHashMap<>();

  /** The validator of a collection, or null when it has none or refuses nothing by it. */
  public @Nullable DocumentValidator find(CollectionInfo info) {
    BsonDocument options = info.options();
    if (!options.containsKey("validator")) {
      return null;
    }
    Compiled known = compiled.get(info.uuid());
    if (known == null || known.options != options) {
      known = compile(options);
      if (compiled.size() >= KEPT_MAX) {
        compiled.clear(); // mostly of collections that were dropped
      }
      compiled.put(info.uuid(), known);
    }
    return known.validator;
  }

  /** It outlives the request for which it is made. */
  private static Compiled compile(BsonDocument options) {
    DocumentValidator validator =
        Allowance.current().forLasting().grant(() -> DocumentValidator.of(options));
    return new Compiled(options, validator);
  }
}
