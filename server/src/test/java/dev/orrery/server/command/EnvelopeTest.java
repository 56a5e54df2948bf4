package dev.orrery.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class EnvelopeTest {
  private static final String LSID =
      "lsid: {id: {$binary: {base64: 'AAECAwQFBgcICQoLDA0ODw==', subType: '04'}}}";
  private final CommandFixture server = new CommandFixture();

  @Test
  void everyCommandTakesTheGenericFields() {
    BsonDocument reply =
        server.run(
            "{ping: 1, "
                + LSID
                + ", $readPreference: {mode: 'nearest'}, readConcern: {level: 'local'},"
                + " maxTimeMS: 10, comment: 'x', apiVersion: '1',"
                + " apiStrict: true, apiDeprecationErrors: true, mayBypassWriteBlocking: true}");
    assertThat(reply.getDouble("ok").getValue()).isEqualTo(1);
    assertThat(server.error("{hello: 1, writeConcern: {w: 1}}"))
        .isEqualTo("72 InvalidOptions: Command does not support writeConcern");
    assertThat(server.error("{ping: 1, readConcern: {level: 'majority'}}"))
        .isEqualTo(
            "72 InvalidOptions: Command ping does not support { readConcern: { level: \"majority\","
                + " provenance: \"clientSupplied\" } } :: caused by :: read concern not"
                + " supported");
  }

  @Test
  void apiVersionIsOneOrNone() {
    assertThat(server.error("{ping: 1, apiVersion: '2'}"))
        .isEqualTo("322 APIVersionError: Cannot accept API version 2");
    assertThat(server.error("{ping: 1, apiStrict: true}"))
        .isEqualTo(
            "4886600 Location4886600: Provided apiStrict and/or apiDeprecationErrors without"
                + " passing apiVersion");
    assertThat(server.error("{ping: 1, apiVersion: 1}"))
        .isEqualTo(
            "14 TypeMismatch: BSON field 'APIParametersFromClient.apiVersion' is the wrong type"
                + " 'int', expected type 'string'");
    assertThat(server.error("{buildInfo: 1, apiVersion: '1', apiStrict: true}"))
        .startsWith(
            "323 APIStrictError: Provided apiStrict:true, but the command buildInfo is not in API"
                + " Version 1.");
  }

  @Test
  void sessionsAreChecked() {
    assertThat(server.error("{ping: 1, lsid: 1}"))
        .isEqualTo(
            "14 TypeMismatch: BSON field 'OperationSessionInfo.lsid' is the wrong type 'int',"
                + " expected type 'object'");
    assertThat(server.error("{ping: 1, lsid: {}}"))
        .isEqualTo(
            "40414 Location40414: BSON field 'OperationSessionInfo.lsid.id' is missing but a"
                + " required field");
    assertThat(server.error("{ping: 1, lsid: {id: 'x'}}"))
        .isEqualTo(
            "14 TypeMismatch: BSON field 'OperationSessionInfo.lsid.id' is the wrong type"
                + " 'string', expected type 'binData'");
    assertThat(server.error("{startSession: 1, txnNumber: {$numberLong: '1'}}"))
        .isEqualTo(
            "72 InvalidOptions: Transaction number requires a session ID to also be specified");
    assertThat(server.error("{ping: 1, " + LSID + ", txnNumber: 1}"))
        .isEqualTo(
            "14 TypeMismatch: BSON field 'OperationSessionInfo.txnNumber' is the wrong type 'int',"
                + " expected type 'long'");
    assertThat(server.error("{ping: 1, " + LSID + ", txnNumber: {$numberLong: '1'}}"))
        .isEqualTo("50889 Location50889: It is illegal to provide a txnNumber for this command");
    assertThat(server.error("{startSession: 1, " + LSID + ", txnNumber: {$numberLong: '1'}}"))
        .startsWith("50768 NotARetryableWriteCommand: txnNumber may only be provided for");
    assertThat(
            server.error(
                "{ping: 1, " + LSID + ", txnNumber: {$numberLong: '1'}, autocommit: false}"))
        .isEqualTo(
            "263 OperationNotSupportedInTransaction: This command is not supported in"
                + " transactions");
    assertThat(server.sessions.count()).isZero();
  }

  @Test
  void concernsAndPreferencesAreChecked() {
    assertThat(server.error("{ping: 1, readConcern: {foo: 1}}"))
        .isEqualTo("72 InvalidOptions: Unrecognized option in readConcern: foo");
    assertThat(server.error("{ping: 1, readConcern: {level: 'x'}}"))
        .startsWith("9 FailedToParse: readConcern.level must be either 'local', 'majority'");
    assertThat(server.error("{ping: 1, writeConcern: {foo: 1}}"))
        .isEqualTo(
            "40415 Location40415: BSON field 'WriteConcernOptions.foo' is an unknown field.");
    assertThat(server.error("{ping: 1, writeConcern: {w: 51}}"))
        .isEqualTo(
            "9 FailedToParse: w has to be a non-negative number and not greater than 50; found:"
                + " 51");
    assertThat(server.error("{ping: 1, $readPreference: {mode: 'foo'}}"))
        .isEqualTo(
            "2 BadValue: Could not parse $readPreference mode 'foo'. Only the modes 'primary',"
                + " 'primaryPreferred', 'secondary', 'secondaryPreferred', and 'nearest' are"
                + " supported. :: caused by :: Enumeration value 'foo' for field 'mode' is not a"
                + " valid value.");
    assertThat(server.error("{ping: 1, maxTimeMS: -1}"))
        .isEqualTo("2 BadValue: -1 value for maxTimeMS is out of range [0, 2147483647]");
    assertThat(server.error("{ping: 1, databaseVersion: 1}"))
        .isEqualTo("10065 Location10065: invalid parameter: expected an object (databaseVersion)");
  }

  @Test
  void aDatabaseIsNeeded() {
    assertThat(server.start("{ping: 1}").get(0).getString("errmsg").getValue())
        .isEqualTo("OP_MSG requests require a $db argument");
    assertThat(server.error("{ping: 1, $db: '" + "x".repeat(64) + "'}"))
        .isEqualTo("73 InvalidNamespace: db name must be at most 63 characters, found: 64");
  }

  @Test
  void clusterTimeIsToldInEveryReply() {
    String time = "Timestamp(1772600767, 1)";
    assertThat(server.answer("{ping: 1, " + LSID + "}"))
        .isEqualTo(
            CommandFixture.canonical(
                "{ok: 1.0, $clusterTime: {clusterTime: "
                    + time
                    + ", signature: {hash: {$binary: {base64:"
                    + " 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=', subType: '00'}}, keyId: {$numberLong:"
                    + " '0'}}}, operationTime: "
                    + time
                    + "}"));
    assertThat(server.sessions.count()).isEqualTo(1);
  }
}
