package dev.orrery.server.command.diagnostic;

import static dev.orrery.server.command.CommandFixture.canonical;
import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CommandFixture;
import dev.orrery.server.command.ServerFacts;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class HelloCommandTest {
  private static final String CLIENT =
      "client: {driver: {name: 'd', version: '1'}, os: {type: 'any'}}";
  private static final String TAIL =
      """
      secondary: false, primary: '127.0.0.1:27017', me: '127.0.0.1:27017',
      electionId: {$oid: '7fffffff0000000000000001'},
      lastWrite: {
        opTime: {ts: Timestamp(1772600767, 1), t: {$numberLong: '1'}},
        lastWriteDate: {$date: '2026-03-04T05:06:07Z'},
        majorityOpTime: {ts: Timestamp(1772600767, 1), t: {$numberLong: '1'}},
        majorityWriteDate: {$date: '2026-03-04T05:06:07Z'}},
      maxBsonObjectSize: 16777216, maxMessageSizeBytes: 48000000, maxWriteBatchSize: 100000,
      localTime: {$date: '2026-03-04T05:06:07.890Z'}, logicalSessionTimeoutMinutes: 30,
      connectionId: {$numberLong: '7'}, minWireVersion: 0, maxWireVersion: 21, readOnly: false,
      """;
  private final CommandFixture server = new CommandFixture();

  private String head() {
    return "topologyVersion: "
        + canonical(server.operations.topology().version().toJson())
            .replace("$numberInt", "$numberLong")
        + ", hosts: ['127.0.0.1:27017'], setName: 'globaldb', setVersion: 1, ";
  }

  @Test
  void helloTellsOfAWritablePrimary() {
    assertThat(server.answer("{hello: 1}"))
        .isEqualTo(canonical("{" + head() + "isWritablePrimary: true, " + TAIL + "ok: 1.0}"));
  }

  @Test
  void theAddressAndTheRegionAreThoseThatWereNamed() {
    server.announced = facts -> facts.withAdvertisedHost("db.example:5").withRegion("West US");
    BsonDocument reply = server.run("{hello: 1}");
    assertThat(reply.getString("me").getValue()).isEqualTo("db.example:5");
    assertThat(reply.getArray("hosts").toString()).contains("db.example:5");
    assertThat(reply.getDocument("tags").toJson()).isEqualTo("{\"region\": \"West US\"}");
  }

  @Test
  void isMasterTellsTheSameInOldWords() {
    String expected =
        canonical("{helloOk: true, " + head() + "ismaster: true, " + TAIL + "ok: 1.0}");
    assertThat(server.answer("{isMaster: 1, helloOk: true}")).isEqualTo(expected);
    assertThat(server.answer("{ismaster: 1, helloOk: true, backpressure: '2', unknown: 1}"))
        .isEqualTo(expected);
  }

  @Test
  void compressorsThatBothKnowAreAgreedInTheClientsOrder() {
    BsonDocument reply = server.run("{hello: 1, compression: ['zstd', 'none', 'lz4', 'snappy']}");
    assertThat(reply.getArray("compression"))
        .isEqualTo(BsonDocument.parse("{a: ['zstd', 'snappy']}").getArray("a"));
    assertThat(server.run("{hello: 1, compression: ['none']}")).doesNotContainKey("compression");
  }

  @Test
  void aConnectionIntroducesItselfOnce() {
    assertThat(server.run("{hello: 1, " + CLIENT + "}").getDouble("ok").getValue()).isEqualTo(1);
    assertThat(server.connection.clientMetadata()).isNotNull();
    assertThat(server.error("{hello: 1, " + CLIENT + "}"))
        .isEqualTo(
            "186 ClientMetadataCannotBeMutated: The client metadata document may only be sent in"
                + " the first hello");
  }

  @Test
  void badIntroductionsAreRefused() {
    assertThat(server.error("{hello: 1, client: 1}"))
        .isEqualTo("14 TypeMismatch: The client metadata document must be a document");
    assertThat(server.error("{hello: 1, client: {}}"))
        .isEqualTo(
            "183 ClientMetadataMissingField: Missing required sub-document 'driver' in the client"
                + " metadata document");
    assertThat(server.error("{hello: 1, client: {driver: {name: 'x'}}}"))
        .isEqualTo(
            "183 ClientMetadataMissingField: Missing required field 'version' in the client driver"
                + " metadata document");
    assertThat(server.error("{hello: 1, client: {x: '" + "x".repeat(600) + "'}}"))
        .startsWith("185 ClientMetadataDocumentTooLarge");
    assertThat(server.error("{hello: 1, client: {application: {name: '" + "x".repeat(129) + "'}}}"))
        .startsWith("184 ClientMetadataAppNameTooLarge");
    assertThat(server.connection.clientMetadata()).isNull();
  }

  @Test
  void theAdvertisedHostReplacesTheAddressOfTheConnection() {
    Services services = server.services();
    ServerFacts facts = services.facts().withAdvertisedHost("db.example:1");
    assertThat(facts.hostFor(server.connection)).isEqualTo("db.example:1");
    assertThat(services.facts().hostFor(server.connection)).isEqualTo("127.0.0.1:27017");
  }
}
