package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Arrays;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;

/** {@code $bitsAllClear $bitsAllSet $bitsAnyClear $bitsAnySet}: tests of single bits. */
final class BitwiseFilters {
  static final Map<String, FilterOperator> OPERATORS =
      Map.ofEntries(
          entry("$bitsAllClear", call -> parse(call, false, true)),
          entry("$bitsAllSet", call -> parse(call, true, true)),
          entry("$bitsAnyClear", call -> parse(call, false, false)),
          entry("$bitsAnySet", call -> parse(call, true, false)));

  /** More positions than that count as steps. */
  private static final int MANY = 64;

  private BitwiseFilters() {}

  /**
   * Whether all, or any, of the bits at {@code positions} are set, or clear, in a whole number
   * (whose sign bit goes on for ever) or in binary data (whose bits end with its bytes).
   */
  record Bits(int[] positions, boolean isSet, boolean all) implements ValuePredicate {
    @Override
    public boolean test(@Nullable RawValue value, MatchDetails details) {
      if (value == null) {
        return false;
      }
      if (positions.length > MANY) {
        Allowance.current().steps(positions.length);
      }
      if (value.type() == RawTypes.BINARY) {
        return testBinary(value);
      }
      var number = value.isNumber() ? IntegerArgument.exactLong(value) : null;
      return number != null && testNumber(number);
    }

    @Override
    public BsonDocument document() {
      var array = new BsonArray();
      Arrays.stream(positions).forEach(position -> array.add(new BsonInt32(position)));
      return new BsonDocument("$bits" + (all ? "All" : "Any") + (isSet ? "Set" : "Clear"), array);
    }

    private boolean testNumber(long number) {
      for (int position : positions) {
        boolean bit = (number >> Math.min(position, 63) & 1) != 0;
        if ((bit == isSet) != all) {
          return !all;
        }
      }
      return all;
    }

    private boolean testBinary(RawValue binary) {
      int length = LittleEndian.int32(binary.bytes(), binary.offset());
      int start = binary.offset() + 5;
      for (int position : positions) {
        int index = position / 8;
        boolean bit = index < length && (binary.bytes()[start + index] >> (position % 8) & 1) != 0;
        if ((bit == isSet) != all) {
          return !all;
        }
      }
      return all;
    }
  }

  private static Filter parse(OperatorCall call, boolean isSet, boolean all) {
    return call.filter(new Bits(positions(call), isSet, all));
  }

  private static int[] positions(OperatorCall call) {
    var argument = call.argument();
    if (argument.isArray()) {
      return listedPositions(argument);
    }
    if (argument.isNumber()) {
      var mask = IntegerArgument.parseNonNegative(call.name(), argument);
      if (!mask.isValid()) {
        throw new CommandException(ErrorCode.FAILED_TO_PARSE, mask.error());
      }
      byte[] bytes = new byte[8];
      LittleEndian.putInt64(bytes, 0, mask.value());
      return setPositions(bytes, 0, 8);
    }
    if (argument.type() == RawTypes.BINARY) {
      int length = LittleEndian.int32(argument.bytes(), argument.offset());
      return setPositions(argument.bytes(), argument.offset() + 5, length);
    }
    throw badValue(
        call.path()
            + " takes an Array, a number, or a BinData but received: "
            + BsonText.element(call.name(), argument.toBsonValue()));
  }

  private static int[] listedPositions(RawValue array) {
    var values = array.asDocument().toValues();
    int[] positions = new int[values.size()];
    for (int i = 0; i < positions.length; i++) {
      var position = IntegerArgument.parseNonNegativeInt(Integer.toString(i), values.get(i));
      if (!position.isValid()) {
        throw badValue("Failed to parse bit position. " + position.error());
      }
      positions[i] = (int) position.value();
    }
    return positions;
  }

  private static int[] setPositions(byte[] bytes, int offset, int length) {
    Allowance.current().fit(8L * Integer.BYTES * length);
    int[] positions = new int[Math.multiplyExact(length, 8)];
    int count = 0;
    for (int bit = 0; bit < positions.length; bit++) {
      if ((bytes[offset + bit / 8] >> (bit % 8) & 1) != 0) {
        positions[count++] = bit;
      }
    }
    return Arrays.copyOf(positions, count);
  }
}
