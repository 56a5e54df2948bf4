package dev.orrery.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTransportTest {
  @TempDir private Path directory;

  private TlsTransport.Files files(String name) throws IOException {
    return SelfSignedCertificate.in(directory.resolve(name), "127.0.0.1", Clock.systemUTC());
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  @Test
  void theFirstBytesTellWhetherTheClientSpeaksTls() throws IOException {
    try (var transport = TlsTransport.open(files("a"), false)) {
      var plain = channel(transport);
      plain.writeInbound(Unpooled.wrappedBuffer(hex("3a00")));
      assertThat(plain.pipeline().get(TlsSniffer.class)).isNull();
      assertThat(plain.inboundMessages()).hasSize(1);
      plain.finishAndReleaseAll();

      var encrypted = channel(transport);
      encrypted.writeInbound(Unpooled.wrappedBuffer(hex("16")));
      encrypted.writeInbound(
          Unpooled.wrappedBuffer(hex("03 01 02 00 01 00 01 fc 03 03 aa bb cc dd")));
      assertThat(encrypted.pipeline().get(SslHandler.class)).isNull(); // a byte is missing
      encrypted.writeInbound(Unpooled.wrappedBuffer(hex("ee")));
      assertThat(encrypted.pipeline().get(SslHandler.class)).isNotNull();
      encrypted.finishAndReleaseAll();
    }
  }

  @Test
  void aMessageThatBeginsLikeTlsIsAMessage() throws IOException {
    try (var transport = TlsTransport.open(files("a"), false)) {
      var channel = channel(transport);
      // 790 bytes long, request 257, OP_MSG
      channel.writeInbound(Unpooled.wrappedBuffer(hex("16030000 01010000 00000000 dd070000")));
      assertThat(channel.pipeline().get(SslHandler.class)).isNull();
      assertThat(channel.pipeline().get(TlsSniffer.class)).isNull();
      assertThat(channel.inboundMessages()).hasSize(1);
      channel.finishAndReleaseAll();
    }
  }

  private static EmbeddedChannel channel(TlsTransport transport) {
    var channel = new EmbeddedChannel();
    transport.install(channel.pipeline());
    return channel;
  }

  @Test
  void aNewCertificateIsUsedAndABrokenOneIsNot() throws IOException, GeneralSecurityException {
    TlsTransport.Files files = files("a");
    TlsTransport.Files other = files("b");
    try (var transport = TlsTransport.open(files, true)) {
      Object first = transport.context();
      transport.reloadIfChanged();
      assertThat(transport.context()).isSameAs(first);

      Files.writeString(files.certificate(), "no certificate");
      touch(files.certificate(), 1);
      transport.reloadIfChanged();
      assertThat(transport.context()).isSameAs(first);

      Files.copy(
          other.certificate(),
          files.certificate(),
          java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      Files.copy(other.key(), files.key(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      touch(files.certificate(), 2);
      transport.reloadIfChanged();
      assertThat(transport.context()).isNotSameAs(first);
    }
  }

  private static void touch(Path file, int seconds) throws IOException {
    Files.setLastModifiedTime(
        file, FileTime.fromMillis(Files.getLastModifiedTime(file).toMillis() + seconds * 1000L));
  }

  @Test
  void theSelfSignedCertificateNamesThisMachineAndKeepsItsKeyPrivate()
      throws IOException, GeneralSecurityException {
    TlsTransport.Files files = files("a");
    try (var in = Files.newInputStream(files.certificate())) {
      var certificate =
          (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
      certificate.verify(certificate.getPublicKey());
      certificate.checkValidity();
      assertThat(certificate.getBasicConstraints()).isNotNegative();
      assertThat(certificate.getSubjectAlternativeNames().toString())
          .contains("localhost", "127.0.0.1", "0:0:0:0:0:0:0:1");
    }
    assertThat(Files.getPosixFilePermissions(files.key())).hasSize(2);
  }
}
