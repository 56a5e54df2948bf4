package dev.orrery.server.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/** What a recording keeps of requests. */
class RequestFormTest {
  private final RequestForm plain = new RequestForm(null);
  private final RequestForm hashed = new RequestForm(new ValueHashes(new byte[32]));

  private static BsonDocument form(RequestForm form, String command) {
    return form.of(RawDocument.of(BsonDocument.parse(command)), Map.of());
  }

  @Test
  void whatBelongsToTheSessionIsLeftOutAndWhatCameBesideIsPutIn() {
    var body =
        RawDocument.of(
            BsonDocument.parse("{insert: 'c', ordered: false, $db: 'd', lsid: {id: 1}}"));
    var beside = Map.of("documents", List.of(RawDocument.of(BsonDocument.parse("{_id: 1}"))));
    assertThat(plain.of(body, beside))
        .isEqualTo(BsonDocument.parse("{insert: 'c', ordered: false, documents: [{_id: 1}]}"));
  }

  @Test
  void longValuesBecomeShortAndLongAgain() {
    String text = "x".repeat(5_000);
    BsonDocument command =
        new BsonDocument("insert", new BsonString("c"))
            .append("documents", BsonDocument.parse("{a: [{b: '" + text + "'}]}").get("a"));
    BsonDocument kept = plain.of(RawDocument.of(command), Map.of());
    assertThat(RawDocument.of(kept).length()).isLessThan(200);
    BsonDocument filled = StandIns.filled(kept);
    assertThat(RawDocument.of(filled).length()).isEqualTo(RawDocument.of(command).length());
    assertThat(filled.getArray("documents").get(0).asDocument().get("b").isString()).isTrue();
    assertThat(StandIns.filled(plain.of(RawDocument.of(command), Map.of()))).isEqualTo(filled);
  }

  @Test
  void aHashedRequestTellsNoValue() {
    String[] commands = {
      "{find: 'c', filter: {name: 'SECRET', n: {$gt: 987654321}, $or: [{a: {$in: ['SECRET']}}]}}",
      "{find: 'c', filter: {$expr: {$eq: ['$name', 'SECRET']}}, comment: 'SECRET'}",
      "{find: 'c', filter: {name: {$regex: 'SECRET', $options: 'i'}}, let: {v: 'SECRET'}}",
      "{insert: 'c', documents: [{_id: 987654321, $size: 'SECRET', s: [{t: 'SECRET'}]}]}",
      "{update: 'c', updates: [{q: {_id: 'SECRET'}, u: {$set: {a: 'SECRET'}, $inc: {b: 987654321}},"
          + " arrayFilters: [{x: 'SECRET'}]}]}",
      "{update: 'c', updates: [{q: {}, u: [{$set: {a: 'SECRET'}}]}]}",
      "{delete: 'c', deletes: [{q: {a: {$not: {$eq: 'SECRET'}}}, limit: 1}]}",
      "{findAndModify: 'c', query: {a: 'SECRET'}, update: {$push: {l: {$each: ['SECRET']}}}}",
      "{aggregate: 'c', pipeline: [{$match: {a: 987654321}}, {$lookup: {from: 'd', as: 'x',"
          + " pipeline: [{$match: {b: 'SECRET'}}]}}, {$addFields: {s: {$concat: ['$a', 'SECRET']}}}]}",
      "{count: 'c', query: {a: {$date: '2031-01-05T00:00:00Z'}}}",
    };
    for (String command : commands) {
      String kept = form(hashed, command).toJson();
      assertThat(kept).doesNotContain("SECRET").doesNotContain("987654321").doesNotContain("2031");
    }
  }

  @Test
  void whatARequestDoesStays() {
    String[] commands = {
      "{find: 'c', filter: {a: {$exists: true, $type: 'string', $size: 2}}, sort: {a: -1}, limit: 5,"
          + " projection: {a: 1}}",
      "{aggregate: 'c', pipeline: [{$group: {_id: '$a', n: {$sum: 1}}}, {$sort: {n: -1}}, {$limit: 5},"
          + " {$unwind: '$l'}, {$lookup: {from: 'd', localField: 'a', foreignField: 'b', as: 'x'}}],"
          + " cursor: {batchSize: 10}}",
      "{update: 'c', ordered: true, updates: [{q: {}, u: {$unset: {a: ''}, $rename: {b: 'c'},"
          + " $inc: {n: 1}}, multi: true, upsert: false}]}",
    };
    for (String command : commands) {
      assertThat(form(hashed, command)).isEqualTo(BsonDocument.parse(command));
    }
  }

  @Test
  void equalValuesStayEqualAndOthersDoNot() {
    long five = hash("{v: 5}").asInt32().getValue();
    assertThat(hash("{v: 5.0}").asDouble().getValue()).isEqualTo(five);
    assertThat(hash("{v: {$numberLong: '5'}}").asInt64().getValue()).isEqualTo(five);
    assertThat(hash("{v: {$numberDecimal: '5.00'}}").asDecimal128().doubleValue()).isEqualTo(five);
    assertThat(hash("{v: 6}").asInt32().getValue()).isNotEqualTo(five);
    assertThat(hash("{v: 'a'}")).isEqualTo(hash("{v: 'a'}")).isNotEqualTo(hash("{v: 'b'}"));
    assertThat(hash("{v: null}").isNull()).isTrue();
    assertThat(hash("{v: true}").asBoolean().getValue()).isTrue();
    var other = new RequestForm(new ValueHashes(new byte[] {1}));
    assertThat(form(other, "{find: 'c', filter: {v: 'a'}}"))
        .isNotEqualTo(form(hashed, "{find: 'c', filter: {v: 'a'}}"));
  }

  private BsonValue hash(String filter) {
    return form(hashed, "{find: 'c', filter: " + filter + "}").getDocument("filter").get("v");
  }
}
