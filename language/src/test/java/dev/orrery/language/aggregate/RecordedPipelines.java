package dev.orrery.language.aggregate;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/** Pipelines and their answers as a MongoDB 7.0 gave them, and how answers are compared. */
final class RecordedPipelines {
  private static final MathContext DIGITS = new MathContext(12);

  private RecordedPipelines() {}

  static List<BsonDocument> lines(String file) {
    String path = "/oracle/" + file + ".jsonl";
    try (InputStream in = RecordedPipelines.class.getResourceAsStream(path)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      // What varies from run to run was replaced by a star, which is no id and no date.
      return text.replaceAll("\\{\"\\$\\w+\":\"\\*\"}", "\"*\"")
          .lines()
          .map(BsonDocument::parse)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What is compared: documents in an order that both sides have, numbers as exact as asked. */
  static BsonArray normal(BsonArray documents, BsonDocument flags) {
    BsonValue result = documents;
    if (flags.containsKey("approx")) {
      result = rounded(result);
    }
    String unordered = flags.getString("unordered", new BsonString("")).getValue();
    if (unordered.equals("all")) {
      result = sorted(result);
    } else if (unordered.equals("docs")) {
      var list = new ArrayList<>(result.asArray());
      list.sort(Comparator.comparing(RecordedPipelines::text));
      result = new BsonArray(list);
    }
    return result.asArray();
  }

  private static BsonValue rounded(BsonValue value) {
    if (value.isArray()) {
      return new BsonArray(value.asArray().stream().map(RecordedPipelines::rounded).toList());
    }
    if (value.isDocument()) {
      var document = new BsonDocument();
      value.asDocument().forEach((name, inner) -> document.append(name, rounded(inner)));
      return document;
    }
    if (value.isDouble() && Double.isFinite(value.asDouble().getValue())) {
      double number = value.asDouble().getValue();
      return new BsonDouble(
          Math.abs(number) < 1e-15 ? 0 : new BigDecimal(number).round(DIGITS).doubleValue());
    }
    if (value.isDecimal128() && value.asDecimal128().getValue().isFinite()) {
      double number = value.asDecimal128().getValue().bigDecimalValue().doubleValue();
      BigDecimal digits = new BigDecimal(number).round(DIGITS).stripTrailingZeros();
      return new BsonDecimal128(new Decimal128(new BigDecimal(digits.toPlainString())));
    }
    return value;
  }

  private static BsonValue sorted(BsonValue value) {
    if (value.isDocument()) {
      var document = new BsonDocument();
      value.asDocument().forEach((name, inner) -> document.append(name, sorted(inner)));
      return document;
    }
    if (!value.isArray()) {
      return value;
    }
    var elements = new ArrayList<BsonValue>();
    value.asArray().forEach(element -> elements.add(sorted(element)));
    elements.sort(Comparator.comparing(RecordedPipelines::text));
    return new BsonArray(elements);
  }

  private static String text(BsonValue value) {
    return new BsonDocument("v", value).toJson();
  }
}
