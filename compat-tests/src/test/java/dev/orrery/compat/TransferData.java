package dev.orrery.compat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;

/** A data set with every kind of collection and index that a dump can have. */
final class TransferData {
  static final String STRANGE_NAME = "a/b %c ü.e";

  private static final int BATCH = 5_000;

  private final MongoClient client;

  TransferData(MongoClient client) {
    this.client = client;
  }

  /** Fills two databases; {@code total} is shared by three of the collections. */
  void create(int total) {
    MongoDatabase shop = client.getDatabase("shop");
    createIndexed(shop, total / 10);
    createValidated(shop, total * 85 / 100);
    createCapped(shop, total * 5 / 100);
    createViews(shop);
    shop.getCollection(STRANGE_NAME, BsonDocument.class).insertOne(everyType());
    run(shop, "{create: 'empty'}");
    run(shop, "{createIndexes: 'empty', indexes: [{key: {a: 1}, name: 'named by hand'}]}");
    run(
        client.getDatabase("other"),
        "{insert: 'few', documents: [{_id: 1}, {_id: {a: 2}}, {_id: 'three', $x: 1}]}");
  }

  private static void createIndexed(MongoDatabase shop, int count) {
    insert(shop.getCollection("orders", BsonDocument.class), count, TransferData::order);
    run(
        shop,
        """
        {createIndexes: 'orders', indexes: [
          {key: {customer: 1}, name: 'single'},
          {key: {customer: 1, total: -1}, name: 'compound'},
          {key: {tags: 1}, name: 'multikey'},
          {key: {number: 1}, name: 'unique', unique: true},
          {key: {coupon: 1}, name: 'sparse', sparse: true},
          {key: {total: 1}, name: 'partial', partialFilterExpression: {total: {$gt: 500}}},
          {key: {created: 1}, name: 'expiring', expireAfterSeconds: 315360000},
          {key: {customer: 'hashed'}, name: 'hashed'},
          {key: {'attributes.$**': 1}, name: 'wildcard'},
          {key: {'$**': 1}, name: 'projected', wildcardProjection: {tags: 0, attributes: 0}},
          {key: {note: 1}, name: 'hidden', hidden: true},
          {key: {note: 1}, name: 'collated', collation: {locale: 'de', strength: 2}},
          {key: {customer: 1, number: 1}, name: 'both', unique: true, sparse: true,
           collation: {locale: 'en', caseLevel: true}}]}
        """);
  }

  private static BsonDocument order(int i) {
    var order =
        new BsonDocument("_id", new BsonInt64(i))
            .append("number", new BsonString("N" + i))
            .append("customer", new BsonString("c" + i % 977))
            .append("total", new BsonDouble(i % 1_000 / 4.0))
            .append("created", new BsonDateTime(1_700_000_000_000L + i))
            .append("tags", new BsonArray(List.of(new BsonInt32(i % 7), new BsonString("t"))))
            .append("attributes", new BsonDocument("a" + i % 5, new BsonInt32(i)))
            .append("note", new BsonString(i % 2 == 0 ? "Ähre" : "ahre"));
    return i % 3 == 0 ? order.append("coupon", new BsonInt32(i)) : order;
  }

  private static void createValidated(MongoDatabase shop, int count) {
    run(
        shop,
        """
        {create: 'customers', validationLevel: 'moderate', validationAction: 'warn',
         validator: {$jsonSchema: {required: ['name'], properties: {name: {bsonType: 'string'}}}},
         collation: {locale: 'fr', strength: 1}}
        """);
    run(shop, "{createIndexes: 'customers', indexes: [{key: {name: 1}, name: 'name_1'}]}");
    insert(
        shop.getCollection("customers", BsonDocument.class),
        count,
        i ->
            new BsonDocument("_id", new BsonObjectId(new ObjectId(1_700_000_000, i)))
                .append("name", new BsonString("customer " + i)));
  }

  private static void createCapped(MongoDatabase shop, int count) {
    run(shop, "{create: 'log', capped: true, size: 16777216, max: 100000}");
    // Neither ascending nor descending, so that only the order of insertion gives this order.
    insert(
        shop.getCollection("log", BsonDocument.class),
        count,
        i -> new BsonDocument("_id", new BsonInt32(i ^ 0x155)).append("i", new BsonInt32(i)));
  }

  private static void createViews(MongoDatabase shop) {
    run(shop, "{create: 'large', viewOn: 'orders', pipeline: [{$match: {total: {$gt: 249}}}]}");
    run(shop, "{create: 'afar', viewOn: 'large', pipeline: [{$project: {n: '$number'}}]}");
    run(shop, "{create: 'named', viewOn: 'empty', pipeline: [], collation: {locale: 'es'}}");
  }

  private static BsonDocument everyType() {
    return BsonDocument.parse(
        """
        {_id: {$oid: '5f0000000000000000000001'}, double: {$numberDouble: '-0.0'},
         string: 'ü€\\u0001', document: {a: {b: []}}, array: [1, [2, {}]],
         binary: {$binary: {base64: 'AQID', subType: '05'}},
         uuid: {$uuid: '00112233-4455-6677-8899-aabbccddeeff'}, undefined: {$undefined: true},
         boolean: true, date: {$date: {$numberLong: '-1'}}, null: null,
         regex: {$regularExpression: {pattern: 'a/b', options: 'i'}}, code: {$code: 'x => x'},
         symbol: {$symbol: 's'}, scoped: {$code: 'y', $scope: {z: 1}}, int32: {$numberInt: '1'},
         timestamp: {$timestamp: {t: 1, i: 2}}, int64: {$numberLong: '1'},
         nan: {$numberDouble: 'NaN'},
         decimal: {$numberDecimal: '1.10'}, min: {$minKey: 1}, max: {$maxKey: 1}, '': 'empty name'}
        """);
  }

  private interface Maker {
    BsonDocument make(int i);
  }

  private static void insert(MongoCollection<BsonDocument> collection, int count, Maker maker) {
    var batch = new ArrayList<BsonDocument>();
    for (int i = 0; i < count; i++) {
      batch.add(maker.make(i));
      if (batch.size() == BATCH || i + 1 == count) {
        collection.insertMany(batch);
        batch.clear();
      }
    }
  }

  private static void run(MongoDatabase database, String command) {
    database.runCommand(BsonDocument.parse(command));
  }
}
