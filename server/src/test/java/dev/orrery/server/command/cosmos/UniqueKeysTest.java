package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A unique key is unique within one value of the partition key. */
class UniqueKeysTest {
  private static final List<String> ROWS =
      List.of(
          "{CompanyID: 'Contoso', firstName: 'Helga', lastName: 'Kohler',"
              + " email: 'gaby@contoso.com'}",
          "{CompanyID: 'Contoso', firstName: 'Helga', lastName: 'Kohler',"
              + " email: 'gaby@fabrikam.com'}",
          "{CompanyID: 'Fabrikam', firstName: 'Helga', lastName: 'Kohler',"
              + " email: 'gaby@fabrikam.com'}",
          "{CompanyID: 'Fabrikam', firstName: 'Simon', lastName: 'Kohler',"
              + " email: 'gaby@fabrikam.com'}",
          "{CompanyID: 'Fabrikam', lastName: 'Kohler', email: 'gaby@fabraikam.com'}",
          "{CompanyID: 'Fabrikam', email: 'gaby@fabraikam.com'}");

  @TempDir Path directory;

  @Test
  void eachRowIsAcceptedOnceAndRefusedTheSecondTime() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must(
          """
          {customAction: 'CreateCollection', collection: 'people', shardKey: 'CompanyID',
           offerThroughput: 20000, indexes: [{key: {_id: 1}, name: '_id_'},
           {key: {firstName: 1, lastName: 1, email: 1}, name: 'person', unique: true}]}""");
      for (String row : ROWS) {
        fixture.must("{insert: 'people', documents: [" + row + "]}");
      }
      for (String row : ROWS) {
        assertThat(fixture.run("{insert: 'people', documents: [" + row + "]}").toJson())
            .contains("\"n\": 0", "\"code\": 11000");
      }
    }
  }

  @Test
  void aUniqueIndexMakesWritesSlightlyDearer() {
    try (var fixture = CosmosFixture.extended(directory)) {
      for (String unique : List.of("false", "true")) {
        fixture.must(
            "{createIndexes: 'u%s', indexes: [{key: {a: 1}, name: 'a', unique: %s}]}"
                .formatted(unique, unique));
      }
      double plain = price(fixture, "{insert: 'ufalse', documents: [{_id: 1, a: 1}]}");
      double dearer = price(fixture, "{insert: 'utrue', documents: [{_id: 1, a: 1}]}");
      assertThat(dearer - plain).isCloseTo(2 / 21.0, within(1e-9));
      String update = "{update: '%s', updates: [{q: {_id: 1}, u: {$set: {a: 2}}}]}";
      assertThat(price(fixture, update.formatted("utrue")))
          .isGreaterThan(price(fixture, update.formatted("ufalse")));
      String delete = "{delete: '%s', deletes: [{q: {_id: 1}, limit: 1}]}";
      assertThat(
              price(fixture, delete.formatted("utrue"))
                  - price(fixture, delete.formatted("ufalse")))
          .isCloseTo(2 / 21.0, within(1e-9));
    }
  }

  private static double price(CosmosFixture fixture, String command) {
    fixture.must(command);
    return fixture.charge();
  }

  @Test
  void namesAreCaseSensitiveAndAMissingValueIsNull() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must(
          """
          {customAction: 'CreateCollection', collection: 'people', shardKey: 'city',
           indexes: [{key: {_id: 1}, name: '_id_'},
           {key: {'address.zipcode': 1}, name: 'zip', unique: true}]}""");
      fixture.must("{insert: 'people', documents: [{city: 'Oslo', address: {ZipCode: 1}}]}");
      assertThat(
              fixture
                  .run("{insert: 'people', documents: [{city: 'Oslo', address: {ZipCode: 2}}]}")
                  .toJson())
          .contains("\"code\": 11000");
      fixture.must("{insert: 'people', documents: [{city: 'Rome', address: {ZipCode: 2}}]}");
    }
  }
}
