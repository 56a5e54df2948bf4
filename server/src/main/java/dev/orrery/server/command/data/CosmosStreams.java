package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.stream.CosmosShape;
import dev.orrery.server.stream.CosmosToken;
import dev.orrery.server.throughput.CosmosRule;
import dev.orrery.server.throughput.CosmosRules;
import dev.orrery.storage.CollectionIdentity;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** What Cosmos DB demands of a change stream, and how it reads its tokens. */
final class CosmosStreams {
  private static final String STAGE = "$changeStream";
  private static final List<String> STARTS = List.of("resumeAfter", "startAfter");

  private final CosmosRules rules;
  private final Namespace namespace;
  private final @Nullable CollectionIdentity collection;

  /**
   * @param isCollection whether one collection is watched
   * @param store null when it is not there
   */
  CosmosStreams(
      CosmosRules rules,
      Namespace namespace,
      boolean isCollection,
      @Nullable CollectionStore store) {
    this.rules = rules;
    this.namespace = namespace;
    this.collection = store == null ? null : CollectionIdentity.of(store.info());
    if (!isCollection) {
      refuse(CosmosRule.CHANGE_STREAM_SCOPE, "Expected type string but found int.");
    }
  }

  private void refuse(CosmosRule rule, String words) {
    rules.refuse(rule, namespace.toString(), new CommandException(ErrorCode.BAD_VALUE, words));
  }

  /** How events look; null for MongoDB's form. */
  @Nullable CosmosShape shape() {
    return rules.isCosmos() && collection != null ? new CosmosShape(rules, collection) : null;
  }

  /** The pipeline with tokens that this server knows by itself. */
  List<BsonDocument> translated(List<BsonDocument> pipeline) {
    requireStages(pipeline);
    BsonValue stage = pipeline.get(0).get(STAGE);
    if (!rules.isInForce(CosmosRule.CHANGE_STREAM_TOKENS) || !stage.isDocument()) {
      return pipeline;
    }
    BsonDocument options = stage.asDocument().clone();
    for (String start : STARTS) {
      if (options.isDocument(start) && options.getDocument(start).isBinary("_data")) {
        options.put(start, CosmosToken.parse(options.getDocument(start), collection).toBson());
      }
    }
    var translated = new ArrayList<>(pipeline);
    translated.set(0, new BsonDocument(STAGE, options));
    return translated;
  }

  private void requireStages(List<BsonDocument> pipeline) {
    boolean isShaped =
        pipeline.size() > 2
            && pipeline.get(1).containsKey("$match")
            && pipeline.get(2).containsKey("$project");
    if (!isShaped) {
      refuse(
          CosmosRule.CHANGE_STREAM_STAGES,
          "Change stream must be followed by a match and then a project stage");
      return;
    }
    BsonValue options = pipeline.get(0).get(STAGE);
    BsonValue full = options.isDocument() ? options.asDocument().get("fullDocument") : null;
    if (full == null || !full.equals(new BsonString("updateLookup"))) {
      refuse(
          CosmosRule.CHANGE_STREAM_STAGES,
          "Change stream must have the option fullDocument: 'updateLookup'");
    }
  }
}
