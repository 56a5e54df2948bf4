package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.window.WindowBounds;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.language.number.Numbers;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $densify}: adds documents so that a field takes every step of a range. */
record DensifyStage(
    List<String> field, List<String> partitions, Range range, BsonDocument specification)
    implements Stage {

  /** Which range is to be filled. */
  enum Extent {
    EXPLICIT,
    FULL,
    PARTITION
  }

  /**
   * The steps and the range.
   *
   * @param unit of dates; empty for numbers
   * @param lower inclusive; null unless the range is explicit
   * @param upper exclusive; null unless the range is explicit
   */
  record Range(
      BsonValue step,
      String unit,
      Extent extent,
      @Nullable BsonValue lower,
      @Nullable BsonValue upper) {
    BsonValue next(BsonValue value) {
      return unit.isEmpty()
          ? Numbers.add(value, step)
          : WindowBounds.TimeUnits.add(value, unit, Numbers.toLong(step));
    }
  }

  @Override
  public String name() {
    return "$densify";
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    dependencies.addField(String.join(".", field));
    partitions.forEach(dependencies::addField);
    return false;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new Densifier(this, input, run);
  }

  /** The value to be densified; null if the document has none. */
  @Nullable BsonValue valueOf(BsonDocument document) {
    BsonValue value = Documents.at(document, field);
    if (value == null || value.isNull()) {
      return null;
    }
    if (!Numbers.isNumber(value) && !value.isDateTime()) {
      throw new CommandException(
          ErrorCode.LOCATION_5733201, "Densify field type must be numeric or a date");
    }
    if (Numbers.isNumber(value) && !range.unit.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_6053600,
          "Encountered numeric densify value in collection when step has a date unit.");
    }
    if (value.isDateTime() && range.unit.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_6053601,
          "Encountered date densify value in collection when step does not have a date unit.");
    }
    return value;
  }

  /** The fields of the partition that a document belongs to. */
  BsonDocument partitionOf(BsonDocument document) {
    var partition = new BsonDocument();
    for (String name : partitions) {
      List<String> path = List.of(name.split("\\."));
      BsonValue value = Documents.at(document, path);
      if (value != null) {
        partition = Documents.with(partition, path, value);
      }
    }
    return partition;
  }

  static boolean isLess(BsonValue left, BsonValue right) {
    return WatchedOrder.CANONICAL.compare(left, right) < 0;
  }
}
