package dev.orrery.server.transfer.source;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/**
 * One column of separated values: where its values go in the document, and what they are. A header
 * {@code born.date(2006-01-02)} names the field {@code born} and its type; without types a value
 * that looks like a number is one, everything else is a string.
 */
record CsvColumn(String name, String typeName, ColumnType type) {
  private static final Pattern TYPED = Pattern.compile("(.*)\\.(\\w+)\\((.*)\\)", Pattern.DOTALL);
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?|(?i)[+-]?(inf(inity)?)|nan");

  /** From the text of a value to the value. Throws any unchecked exception if it is none. */
  interface ColumnType {
    BsonValue parse(String text);
  }

  static CsvColumn parse(String header, boolean isTyped) throws TransferException {
    if (!isTyped) {
      return automatic(header, "auto");
    }
    Matcher typed = TYPED.matcher(header);
    if (!typed.matches()) {
      throw new TransferException(
          "The column '"
              + header
              + "' has no type; with --columnsHaveTypes each is written like name.string().");
    }
    String argument = typed.group(3).replaceAll("\\\\(.)", "$1");
    return new CsvColumn(typed.group(1), typed.group(2), type(typed.group(2), argument, header));
  }

  private static CsvColumn automatic(String name, String typeName) {
    return new CsvColumn(name, typeName, CsvColumn::guess);
  }

  /** A column of which only the name is known. */
  static CsvColumn unnamed(int index) {
    return automatic("field" + index, "auto");
  }

  List<String> parts() {
    return List.of(name.split("\\."));
  }

  static boolean isIndex(String part) {
    return part.matches("0|[1-9]\\d{0,8}");
  }

  private static ColumnType type(String name, String argument, String header)
      throws TransferException {
    return switch (name) {
      case "auto" -> CsvColumn::guess;
      case "binary" -> binary(argument);
      case "boolean" -> CsvColumn::truth;
      case "date", "date_go" -> date(DateLayout.GO.formatter(argument));
      case "date_ms" -> date(DateLayout.MICROSOFT.formatter(argument));
      case "date_oracle" -> date(DateLayout.ORACLE.formatter(argument));
      case "decimal" -> text -> new BsonDecimal128(Decimal128.parse(text));
      case "double" -> text -> new BsonDouble(real(text));
      case "int32" -> text -> new BsonInt32(Integer.parseInt(text));
      case "int64" -> text -> new BsonInt64(Long.parseLong(text));
      case "string" -> BsonString::new;
      default ->
          throw new TransferException(
              "The column '"
                  + header
                  + "' has an unknown type; known are auto, binary, boolean, date, date_go, date_ms,"
                  + " date_oracle, decimal, double, int32, int64 and string.");
    };
  }

  private static ColumnType binary(String encoding) throws TransferException {
    return switch (encoding) {
      case "base64" -> text -> new BsonBinary(Base64.getDecoder().decode(text));
      case "base32" -> text -> new BsonBinary(Base32.decode(text));
      case "hex" -> text -> new BsonBinary(HexFormat.of().parseHex(text));
      default ->
          throw new TransferException(
              "binary(" + encoding + ") is unknown; it is base64, base32 or hex.");
    };
  }

  private static ColumnType date(DateTimeFormatter formatter) {
    return text -> {
      var parsed =
          formatter.parseBest(text, OffsetDateTime::from, LocalDateTime::from, LocalDate::from);
      OffsetDateTime moment;
      if (parsed instanceof OffsetDateTime exact) {
        moment = exact;
      } else if (parsed instanceof LocalDateTime local) {
        moment = local.atOffset(ZoneOffset.UTC);
      } else {
        moment = ((LocalDate) parsed).atStartOfDay().atOffset(ZoneOffset.UTC);
      }
      return new BsonDateTime(moment.toInstant().toEpochMilli());
    };
  }

  private static BsonValue truth(String text) {
    if (text.equalsIgnoreCase("true") || text.equals("1")) {
      return BsonBoolean.TRUE;
    }
    if (text.equalsIgnoreCase("false") || text.equals("0")) {
      return BsonBoolean.FALSE;
    }
    throw new IllegalArgumentException(text);
  }

  /** A whole number, or else a number, or else a string. */
  static BsonValue guess(String text) {
    if (!NUMBER.matcher(text).matches()) {
      return new BsonString(text);
    }
    try {
      long number = Long.parseLong(text);
      return number == (int) number ? new BsonInt32((int) number) : new BsonInt64(number);
    } catch (NumberFormatException e) {
      return new BsonDouble(real(text));
    }
  }

  private static double real(String text) {
    if (!NUMBER.matcher(text).matches()) {
      throw new NumberFormatException(text); // Java would also take 1f, 0x1p3 and spaces
    }
    String lower = text.toLowerCase(java.util.Locale.ROOT);
    if (lower.contains("inf")) {
      return lower.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    return lower.equals("nan") ? Double.NaN : Double.parseDouble(text);
  }
}
