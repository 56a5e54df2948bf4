package dev.orrery.server.command.collection;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A collection of measurements. They are kept one by one, and shown and taken as buckets, too: as
 * documents of {@code system.buckets.NAME}, where MongoDB keeps them and its tools look for them.
 *
 * @param time the field with the time of a measurement
 * @param meta the field that tells where it is from, or null
 */
public record TimeSeries(
    String time, @Nullable String meta, long spanSeconds, long roundingSeconds) {
  public static final String BUCKETS = "system.buckets.";
  private static final Map<String, Long> ROUNDING_SECONDS =
      Map.of("seconds", 60L, "minutes", 3_600L, "hours", 86_400L);

  /** The time series that a collection is; null for one that is none. */
  public static @Nullable TimeSeries of(CollectionInfo info) {
    return of(info.options());
  }

  /** The same by the options of a collection. */
  public static @Nullable TimeSeries of(BsonDocument collectionOptions) {
    BsonDocument options = collectionOptions.getDocument("timeseries", null);
    if (options == null) {
      return null;
    }
    BsonString meta = options.getString("metaField", null);
    long span = options.getNumber("bucketMaxSpanSeconds").longValue();
    long rounding =
        options.isString("granularity")
            ? ROUNDING_SECONDS.get(options.getString("granularity").getValue())
            : options.getNumber("bucketRoundingSeconds", new BsonInt64(span)).longValue();
    return new TimeSeries(
        options.getString("timeField").getValue(),
        meta == null ? null : meta.getValue(),
        span,
        rounding);
  }

  /** The collection whose buckets have that name; null if it is no name of buckets. */
  static @Nullable String seriesOf(String collection) {
    return collection.startsWith(BUCKETS) ? collection.substring(BUCKETS.length()) : null;
  }

  /** What makes buckets of the measurements. */
  public List<BsonDocument> packing() {
    var order = new BsonDocument();
    var packing = new BsonDocument("timeField", new BsonString(time));
    if (meta != null) {
      order.append(meta, new BsonInt32(1));
      packing.append("metaField", new BsonString(meta));
    }
    order.append(time, new BsonInt32(1));
    packing
        .append("spanSeconds", new BsonInt64(spanSeconds))
        .append("roundingSeconds", new BsonInt64(roundingSeconds));
    return List.of(
        new BsonDocument("$sort", order), new BsonDocument("$_internalPackBuckets", packing));
  }

  /** The index that every time series with a meta field has from its beginning. */
  public @Nullable BsonDocument ownIndex() {
    return meta == null
        ? null
        : new BsonDocument("v", new BsonInt32(2))
            .append("key", new BsonDocument(meta, new BsonInt32(1)).append(time, new BsonInt32(1)))
            .append("name", new BsonString(meta + "_1_" + time + "_1"));
  }

  /**
   * A measurement as it is kept: time, meta value, and the rest in its order.
   *
   * @param given as it came
   * @param complete with its {@code _id} and all else that the server adds
   */
  public RawDocument arrange(RawDocument given, RawDocument complete) {
    RawValue at = given.field(time);
    if (at == null || at.type() != RawTypes.DATE) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "'" + time + "' must be present and contain a valid BSON UTC datetime value");
    }
    BsonDocument values = complete.toBsonDocument();
    var arranged = new BsonDocument();
    move(values, time, arranged);
    if (meta != null) {
      move(values, meta, arranged);
    }
    if (given.field("_id") == null) {
      move(values, "_id", arranged);
    }
    RawElements elements = given.elements();
    while (elements.next()) {
      move(values, elements.name(), arranged);
    }
    return RawDocument.of(arranged);
  }

  private static void move(BsonDocument from, String name, BsonDocument to) {
    BsonValue value = from.remove(name);
    if (value != null) {
      to.append(name, value);
    }
  }

  /** The measurements of a bucket. */
  public List<RawDocument> unpack(RawDocument bucket) {
    BsonDocument document = bucket.toBsonDocument();
    BsonDocument control = document.getDocument("control", new BsonDocument());
    if (!control.isNumber("version") || !document.isDocument("data")) {
      throw new CommandException(ErrorCode.BAD_VALUE, "this is no bucket of a time series");
    }
    if (control.getNumber("version").longValue() != 1) {
      throw new CommandException(
          ErrorCode.NOT_IMPLEMENTED,
          "compressed buckets of time series are not implemented yet; bring the measurements"
              + " themselves, by mongoexport and mongoimport");
    }
    BsonDocument columns = document.getDocument("data");
    var measurements = new ArrayList<RawDocument>();
    for (String row : columns.getDocument(time, new BsonDocument()).keySet()) {
      measurements.add(measurement(columns, row, document.get("meta")));
    }
    return measurements;
  }

  private RawDocument measurement(BsonDocument columns, String row, @Nullable BsonValue metaValue) {
    var measurement = new BsonDocument(time, columns.getDocument(time).get(row));
    if (meta != null && metaValue != null) {
      measurement.append(meta, metaValue);
    }
    columns.forEach(
        (name, column) -> {
          BsonValue value = column.isDocument() ? column.asDocument().get(row) : null;
          if (value != null) {
            measurement.put(name, value);
          }
        });
    return RawDocument.of(measurement);
  }

  /** Refuses an update of what is not the meta field, as MongoDB 7.0 does. */
  public void requireUpdate(boolean isMulti, boolean isUpsert) {
    if (!isMulti) {
      throw invalid("Cannot perform a non-multi update on a time-series collection");
    }
    if (isUpsert) {
      throw invalid("Cannot perform an upsert on a time-series collection");
    }
    if (meta == null) {
      throw invalid(
          "Cannot perform an update on a time-series collection that does not have a metaField");
    }
  }

  /** Refuses a filter of an update that asks for more than the meta field. */
  public void requireMetaFilter(BsonDocument filter) {
    filter.forEach(
        (name, value) -> {
          if (value.isArray() && List.of("$and", "$or", "$nor").contains(name)) {
            value.asArray().stream()
                .filter(BsonValue::isDocument) // what is none, the parser refuses
                .forEach(part -> requireMetaFilter(part.asDocument()));
          } else if (!isMeta(name) && !name.equals("$comment")) {
            throw invalid(
                "Cannot perform an update or delete on a time-series collection when querying on a"
                    + " field that is not the metaField '"
                    + meta
                    + "'");
          }
        });
  }

  /** Refuses an update that changes more than the meta field, or does not name what it changes. */
  public void requireMetaUpdate(BsonValue update) {
    boolean isAllMeta =
        update.isDocument()
            && update.asDocument().values().stream()
                .allMatch(
                    fields ->
                        fields.isDocument()
                            && fields.asDocument().keySet().stream().allMatch(this::isMeta));
    if (!isAllMeta) {
      throw invalid(
          "Cannot perform an update on a time-series collection which updates a field that is not"
              + " the metaField '"
              + meta
              + "'");
    }
  }

  private boolean isMeta(String path) {
    return path.equals(meta) || path.startsWith(meta + ".");
  }

  private static CommandException invalid(String message) {
    return new CommandException(ErrorCode.INVALID_OPTIONS, message);
  }
}
