package dev.orrery.server.stream;

import dev.orrery.language.aggregate.stage.ResumeToken;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.expiry.LastModified;
import dev.orrery.server.throughput.CosmosRule;
import dev.orrery.server.throughput.CosmosRules;
import dev.orrery.storage.Change;
import dev.orrery.storage.CollectionIdentity;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * The stream of a collection as Cosmos DB shows it: new versions of documents, the last one only,
 * without a word about what happened to them. Each rule can be off by itself.
 */
public final class CosmosShape {
  private final CosmosRules rules;
  private final CollectionIdentity collection;
  private final boolean areTokensCosmos;

  public CosmosShape(CosmosRules rules, CollectionIdentity collection) {
    this.rules = rules;
    this.collection = collection;
    this.areTokensCosmos = rules.isInForce(CosmosRule.CHANGE_STREAM_TOKENS);
  }

  boolean areTokensCosmos() {
    return areTokensCosmos;
  }

  public BsonDocument token(ResumeToken place) {
    return areTokensCosmos ? CosmosToken.of(place, collection) : place.toBson();
  }

  /** Null when Cosmos DB has none. */
  @Nullable BsonDocument event(
      Change.OfDocument change, BsonDocument token, RawDocument key, DocumentLookup lookup) {
    if (change.kind() == Change.Kind.DELETE) {
      return hidesDeletes() ? null : event("delete", token, null, change, key);
    }
    RawDocument shown = change.document();
    if (rules.isInForce(CosmosRule.CHANGE_STREAM_FOLDING)) {
      shown = lookup.find(change.collection(), change.document());
      if (shown == null || !shown.equals(change.document())) {
        return null; // a later change tells of it, or nothing does
      }
    }
    String type = change.kind() == Change.Kind.INSERT ? "insert" : "replace";
    return event(change.image().delta() == null ? type : "update", token, shown, change, key);
  }

  private static BsonDocument event(
      String type,
      BsonDocument token,
      @Nullable RawDocument shown,
      Change.OfDocument change,
      RawDocument key) {
    var event = new BsonDocument("_id", token).append("operationType", new BsonString(type));
    if (shown != null) {
      event.append("fullDocument", LastModified.hide(shown).toBsonDocument());
    }
    return event
        .append("ns", Events.name(change.collection().namespace()))
        .append("documentKey", key.toBsonDocument());
  }

  private boolean hidesDeletes() {
    return rules.isInForce(CosmosRule.CHANGE_STREAM_DELETES);
  }

  /** Fails when the collection went, which Cosmos DB has no event for. */
  void require(Change.OfStructure change) {
    boolean wasIt = change.before() != null && change.before().id() == collection.id();
    Namespace name = collection.namespace();
    boolean isGone = change.after() == null || !change.after().namespace().equals(name);
    if (wasIt && isGone) {
      throw new CommandException(
          ErrorCode.NAMESPACE_NOT_FOUND, "Collection " + name + " was not found");
    }
  }

  /** All events of a page have its token, and none says what happened. */
  List<RawDocument> page(List<RawDocument> batch, BsonDocument place) {
    var page = new ArrayList<RawDocument>(batch.size());
    for (RawDocument one : batch) {
      BsonDocument event = one.toBsonDocument();
      if (areTokensCosmos && event.containsKey("_id")) {
        event.put("_id", place);
      }
      if (hidesDeletes()) {
        event.remove("operationType");
      }
      page.add(RawDocument.of(event));
    }
    return page;
  }
}
