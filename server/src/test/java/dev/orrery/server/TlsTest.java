package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import dev.orrery.server.net.SelfSignedCertificate;
import dev.orrery.server.net.TlsTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Clock;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Encrypted connections of the Java driver. */
class TlsTest {
  private static final char[] NO_PASSWORD = {};

  @TempDir private Path directory;

  private Path serverCertificate() {
    return directory.resolve("data/tls/server.crt");
  }

  private String data() {
    return "--data=" + directory.resolve("data");
  }

  private MongoClient client(TestServer server, String options, SSLContext context) {
    var uri =
        new ConnectionString(
            "mongodb://127.0.0.1:%d/?tls=true&serverSelectionTimeoutMS=20000&%s"
                .formatted(server.port(), options));
    return MongoClients.create(
        MongoClientSettings.builder()
            .applyConnectionString(uri)
            .applyToSslSettings(ssl -> ssl.enabled(true).context(context))
            .build());
  }

  private static Certificate certificate(Path file) throws IOException, GeneralSecurityException {
    try (var in = Files.newInputStream(file)) {
      return CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  /** Trusts that certificate, and shows the other unless it is null. */
  private static SSLContext context(Path trusted, TlsTransport.Files own)
      throws IOException, GeneralSecurityException {
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, NO_PASSWORD);
    trust.setCertificateEntry("server", certificate(trusted));
    var trusts = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusts.init(trust);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, NO_PASSWORD);
    if (own != null) {
      String pem = Files.readString(own.key()).replaceAll("-----[^-]*-----|\\s", "");
      var spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem));
      var key = KeyFactory.getInstance("EC").generatePrivate(spec);
      keys.setKeyEntry("own", key, NO_PASSWORD, new Certificate[] {certificate(own.certificate())});
    }
    var shows = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    shows.init(keys, NO_PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(shows.getKeyManagers(), trusts.getTrustManagers(), null);
    return context;
  }

  @Test
  void onePortServesBoth() throws IOException, GeneralSecurityException {
    try (TestServer server = TestServer.start("--tls", data());
        MongoClient encrypted = client(server, "", context(serverCertificate(), null));
        MongoClient plain = server.client("", "")) {
      // More than one record, and more than one read.
      var large = new Document("_id", 1).append("text", "x".repeat(300_000));
      encrypted.getDatabase("d").getCollection("c").insertOne(large);
      assertThat(plain.getDatabase("d").getCollection("c").find().first()).isEqualTo(large);
      assertThat(encrypted.getDatabase("d").getCollection("c").find().first()).isEqualTo(large);
    }
  }

  @Test
  void tlsOnlyRefusesOthersAndTheCertificateStays() throws IOException, GeneralSecurityException {
    TestServer.start("--tls", data()).close();
    byte[] before = Files.readAllBytes(serverCertificate());
    try (TestServer server = TestServer.start("--tls-only", data());
        MongoClient encrypted = client(server, "", context(serverCertificate(), null));
        MongoClient plain = server.client("", "serverSelectionTimeoutMS=500")) {
      assertThat(encrypted.getDatabase("d").getCollection("c").countDocuments()).isZero();
      assertThatThrownBy(() -> plain.getDatabase("d").getCollection("c").countDocuments())
          .isInstanceOf(MongoTimeoutException.class);
    }
    assertThat(Files.readAllBytes(serverCertificate())).isEqualTo(before);
  }

  @Test
  void aCertificateOfTheClientIsALogin() throws IOException, GeneralSecurityException {
    TlsTransport.Files own =
        SelfSignedCertificate.in(directory.resolve("client"), "client", Clock.systemUTC());
    try (TestServer server =
        TestServer.start("--tls", "--auth", data(), "--tls-ca=" + own.certificate())) {
      server.createRoot();
      String user = "{createUser: 'CN=orrery', roles: [{role: 'readWrite', db: 'd'}]}";
      try (MongoClient root = server.client("root:secret@", "")) {
        root.getDatabase("$external").runCommand(Document.parse(user));
      }
      String x509 = "authMechanism=MONGODB-X509";
      try (MongoClient known = client(server, x509, context(serverCertificate(), own))) {
        known.getDatabase("d").getCollection("c").insertOne(new Document("_id", 1));
      }
      try (MongoClient bare = client(server, x509, context(serverCertificate(), null))) {
        assertThatThrownBy(() -> bare.getDatabase("d").getCollection("c").find().first())
            .hasStackTraceContaining("Authentication failed.");
      }
    }
  }
}
