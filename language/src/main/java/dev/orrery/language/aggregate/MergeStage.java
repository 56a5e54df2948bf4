package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentBuffer;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.MappingStage;
import dev.orrery.language.aggregate.stage.Output;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.FieldNames;
import dev.orrery.language.expression.Truth;
import dev.orrery.language.query.Collation;
import dev.orrery.value.Namespace;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $merge}: writes the documents into a collection, each according to what is there. */
record MergeStage(
    Namespace target, List<String> on, Modes modes, Change change, BsonDocument specification)
    implements Stage {
  private static final int ATTEMPTS_MAX = 100;

  /**
   * What to do with a document that is there already, and with one that is not; by which collation
   * it is looked for.
   */
  record Modes(String matched, String notMatched, Collation collation) {}

  /**
   * How a pipeline changes a document that is there.
   *
   * @param variables by slot, to be evaluated on the new document
   * @param pipeline null unless the mode is a pipeline
   */
  record Change(Map<Integer, Expression> variables, @Nullable Pipeline pipeline) {}

  @Override
  public String name() {
    return "$merge";
  }

  @Override
  public Set<Trait> traits() {
    return OutStage.TRAITS;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      @Override
      public @Nullable BsonDocument next() {
        Output output = run.environment().output();
        output.requireWritable(target);
        // All input first: it may come from the very collection that is written.
        try (var buffer = new DocumentBuffer("$merge", run.spill())) {
          buffer.addAll(input);
          mergeAll(buffer.iterator(), output, run);
        }
        return null;
      }

      @Override
      public void close() {
        input.close();
      }
    };
  }

  /** One failure does not keep the other documents from being written, as in MongoDB's batches. */
  private void mergeAll(Iterator<BsonDocument> documents, Output output, PipelineRun run) {
    CommandException first = null;
    while (documents.hasNext()) {
      try {
        merge(documents.next(), output, run);
      } catch (CommandException e) {
        if (e.code().isInterruption()) {
          throw e;
        }
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private void merge(BsonDocument given, Output output, PipelineRun run) {
    requireUpdate();
    BsonDocument document = output.keyed(target, given);
    BsonDocument key = key(document);
    if (key.size() < on.size()) { // without an _id it matches nothing, and gets one
      mergeNew(document, output);
      return;
    }
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      Output.Existing existing =
          modes.matched.equals("fail") ? null : output.find(target, key, modes.collation);
      try {
        if (existing == null) {
          mergeNew(document, output);
          return;
        }
        if (modes.matched.equals("keepExisting")
            || existing.replace(
                changed(existing.document(), document, run), modes.matched.equals("replace"))) {
          return;
        }
      } catch (CommandException e) {
        boolean isRace =
            e.code() == ErrorCode.DUPLICATE_KEY
                && existing == null
                && !modes.matched.equals("fail")
                && output.find(target, key, modes.collation) != null;
        if (!isRace) {
          throw e;
        }
      }
    }
    throw new CommandException(ErrorCode.WRITE_CONFLICT, "$merge met too many other writes");
  }

  /** Every document is an update to MongoDB, which so refuses other stages at the first one. */
  private void requireUpdate() {
    if (change.pipeline == null) {
      return;
    }
    for (Stage stage : change.pipeline.stages()) {
      if (!(stage instanceof MappingStage)) {
        throw UpdatePipeline.refused(stage.name());
      }
    }
  }

  private void mergeNew(BsonDocument document, Output output) {
    switch (modes.notMatched) {
      case "insert" -> output.insert(target, document);
      case "fail" ->
          throw new CommandException(
              ErrorCode.MERGE_STAGE_NO_MATCHING_DOCUMENT,
              "$merge could not find a matching document in the target collection for at least one"
                  + " document in the source collection");
      default -> {} // discard
    }
  }

  /** The values of the fields that must match; a missing {@code _id} is left out. */
  private BsonDocument key(BsonDocument document) {
    var key = new BsonDocument();
    for (String field : on) {
      if (field.equals("_id") && !document.containsKey("_id")) {
        continue;
      }
      BsonValue value = Documents.at(document, FieldNames.split(field));
      if (Truth.isNullish(value) || value.isArray()) {
        throw new CommandException(
            ErrorCode.LOCATION_51132,
            "$merge write error: 'on' field cannot be missing, null, undefined or an array");
      }
      key.append(field, value);
    }
    return key;
  }

  private BsonDocument changed(BsonDocument before, BsonDocument document, PipelineRun run) {
    BsonDocument after =
        switch (modes.matched) {
          case "replace" -> withId(document, before.get("_id"));
          case "merge" -> merged(before, document);
          default -> piped(before, document, run);
        };
    BsonValue id = after.get("_id");
    if (id != null && !id.equals(before.get("_id"))) {
      throw new CommandException(
          ErrorCode.IMMUTABLE_FIELD,
          "$merge failed to update the matching document, did you attempt to modify the _id or the"
              + " shard key? :: caused by :: After applying the update, the (immutable) field '_id'"
              + " was found to have been altered to "
              + BsonText.element("_id", id));
    }
    return withId(after, before.get("_id"));
  }

  /** The document with an {@code _id} in front, unless it has one. */
  private static BsonDocument withId(BsonDocument document, BsonValue id) {
    if (document.containsKey("_id")) {
      return document;
    }
    var complete = new BsonDocument("_id", id);
    complete.putAll(document);
    return complete;
  }

  /** As {@code $set} does it: fields keep their places, new ones follow in the order of names. */
  private static BsonDocument merged(BsonDocument before, BsonDocument document) {
    var after = new BsonDocument();
    after.putAll(before);
    new TreeMap<>(document).forEach(after::put);
    return after;
  }

  private BsonDocument piped(BsonDocument before, BsonDocument document, PipelineRun run) {
    PipelineRun inner = run.fork();
    change.variables.forEach(
        (slot, expression) ->
            inner.scope().bind(slot, expression.evaluate(run.scope().root(document))));
    try (DocumentStream stream =
        change.pipeline.openOn(DocumentStream.of(List.of(before).iterator()), inner)) {
      BsonDocument after = stream.next();
      return after == null ? before : after;
    }
  }
}
