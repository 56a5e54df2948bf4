package dev.orrery.language.aggregate.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayList;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ResumeTokenTest {
  private static final long TIME = 1_794_989_712L << 32 | 233;

  @Test
  void aTokenComesBackAsItWasGiven() {
    for (int index : new int[] {0, 1, 63, 64, 127, 128, 32_767, 32_768, 1 << 24, 1 << 30}) {
      for (ResumeToken.Kind kind : ResumeToken.Kind.values()) {
        var token = new ResumeToken(TIME, kind == ResumeToken.Kind.TIME ? 0 : index, kind);
        assertThat(ResumeToken.parse(token.toBson())).isEqualTo(token);
      }
    }
  }

  @Test
  void tokensAreSortedAsTheEventsAre() {
    var data = new ArrayList<String>();
    for (long time : new long[] {TIME, TIME + 1, TIME + (1L << 32)}) {
      for (int index : new int[] {0, 1, 100, 200, 40_000}) {
        data.add(new ResumeToken(time, index, ResumeToken.Kind.EVENT).data());
      }
    }
    assertThat(data).isSorted();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ABCDEF0123456789 | LOCATION_50811",
        "8200000000 | OVERFLOW",
        "xyz | FAILED_TO_PARSE",
        "82 00 | FAILED_TO_PARSE",
        "'' | LOCATION_40649",
        "04 | LOCATION_40649",
        "FF | LOCATION_50811",
        "820123456789ABCDEF | LOCATION_50796",
        "820123456789ABCDEF6E | LOCATION_50854",
        "820123456789ABCDEF2B06 | LOCATION_50795",
        "820123456789ABCDEF2B02 | INVALID_RESUME_TOKEN",
        "820123456789ABCDEF2B04 | LOCATION_51055",
        "820123456789ABCDEF2B046E | LOCATION_51056",
        "820123456789ABCDEF2B042B02 | LOCATION_51057",
        "820123456789ABCDEF2B0429 | LOCATION_50793",
        "820123456789ABCDEF2B04296E | LOCATION_50855",
        "820123456789ABCDEF2B042929 | LOCATION_50872",
        "820123456789ABCDEF2B04292929 | LOCATION_50870",
        "820123456789ABCDEF2B0429296E0404 | LOCATION_40646",
        "820123456789ABCDEF2B0429296E1404 | INVALID_RESUME_TOKEN"
      })
  void whatIsNoneIsRefused(String data, ErrorCode code) {
    assertThatThrownBy(() -> ResumeToken.parse(new BsonDocument("_data", new BsonString(data))))
        .isInstanceOfSatisfying(CommandException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
