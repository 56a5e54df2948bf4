package dev.orrery.server.advisor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.json.JsonParseException;

/**
 * What throughput and storage cost, as of a day.
 *
 * @param perHundredUnitsHour for each 100 request units per second, an hour
 * @param perGigabyteMonth for each gigabyte stored, a month
 */
public record Prices(
    String date, String currency, double perHundredUnitsHour, double perGigabyteMonth) {
  private static final double HOURS_PER_MONTH = 730;
  private static final double GIGABYTE = 1L << 30;

  /** Those that come with the program. */
  public static Prices standard() {
    try (InputStream in = Prices.class.getResourceAsStream("/advisor/prices.json")) {
      return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException("a part of the program is missing", e);
    }
  }

  /**
   * @throws IOException if it is no list of prices
   */
  public static Prices parse(String json) throws IOException {
    try {
      BsonDocument document = BsonDocument.parse(json);
      return new Prices(
          document.getString("date").getValue(),
          document.getString("currency").getValue(),
          document.getNumber("perHundredUnitsHour").doubleValue(),
          document.getNumber("perGigabyteMonth").doubleValue());
    } catch (JsonParseException | BsonInvalidOperationException e) {
      throw new IOException("no list of prices: " + e.getMessage(), e);
    }
  }

  double month(double unitsPerSecond, double bytes) {
    return unitsPerSecond / 100 * perHundredUnitsHour * HOURS_PER_MONTH
        + bytes / GIGABYTE * perGigabyteMonth;
  }
}
