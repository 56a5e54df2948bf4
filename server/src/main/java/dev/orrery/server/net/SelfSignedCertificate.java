package dev.orrery.server.net;

import dev.orrery.storage.PrivateFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;

/**
 * A certificate for a server that was given none, made once and kept in the data directory. The JDK
 * can read certificates but not make them, and the tools that can are another process or a large
 * library, so the few fields are written out here (RFC 5280, in DER).
 */
public final class SelfSignedCertificate {
  private static final Duration VALIDITY = Duration.ofDays(3650);
  private static final DateTimeFormatter UNTIL_2049 =
      DateTimeFormatter.ofPattern("uuMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter FROM_2050 =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int OCTET_STRING = 0x04;
  private static final int OBJECT_ID = 0x06;
  private static final int UTF8_STRING = 0x0C;
  private static final int UTC_TIME = 0x17;
  private static final int GENERALIZED_TIME = 0x18;
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int DNS_NAME = 0x82;
  private static final int IP_ADDRESS = 0x87;
  private static final int VERSION = 0xA0;
  private static final int EXTENSIONS = 0xA3;

  // 1.2.840.10045.4.3.2, ecdsa-with-SHA256
  private static final byte[] ECDSA_SHA256 = {0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 4, 3, 2};
  private static final byte[] COMMON_NAME = {0x55, 4, 3};
  private static final byte[] SUBJECT_ALTERNATIVE_NAME = {0x55, 0x1D, 17};
  private static final byte[] BASIC_CONSTRAINTS = {0x55, 0x1D, 19};
  private static final byte[] TRUE = {0x01, 0x01, (byte) 0xFF};

  private SelfSignedCertificate() {}

  /** The files in that directory, made now if they are missing. */
  public static TlsTransport.Files in(Path directory, String host, Clock clock) throws IOException {
    Path certificate = directory.resolve("server.crt");
    Path key = directory.resolve("server.key");
    if (!Files.exists(certificate) || !Files.exists(key)) {
      PrivateFiles.createDirectories(directory);
      create(certificate, key, host, clock.instant());
    }
    return new TlsTransport.Files(certificate, key, null);
  }

  private static void create(Path certificate, Path key, String host, Instant now)
      throws IOException {
    try {
      var generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      KeyPair pair = generator.generateKeyPair();
      byte[] body = body(pair, host, now);
      var signer = Signature.getInstance("SHA256withECDSA");
      signer.initSign(pair.getPrivate());
      signer.update(body);
      byte[] signed = der(SEQUENCE, body, algorithm(), bits(signer.sign()));
      writePrivate(key, pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
      writePrivate(certificate, pem("CERTIFICATE", signed));
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot make a certificate: " + e.getMessage(), e);
    }
  }

  private static byte[] body(KeyPair pair, String host, Instant now) {
    byte[] name =
        der(
            SEQUENCE,
            der(SET, der(SEQUENCE, der(OBJECT_ID, COMMON_NAME), der(UTF8_STRING, utf8("orrery")))));
    byte[] validity = der(SEQUENCE, time(now.minus(Duration.ofDays(1))), time(now.plus(VALIDITY)));
    return der(
        SEQUENCE,
        der(VERSION, integer(BigInteger.TWO)),
        // Whoever trusts one certificate must not take the next for the same.
        integer(BigInteger.valueOf(now.toEpochMilli())),
        algorithm(),
        name,
        validity,
        name,
        pair.getPublic().getEncoded(),
        der(EXTENSIONS, der(SEQUENCE, authority(), names(host))));
  }

  /** Its own authority, so that a client can be told to trust the file. */
  private static byte[] authority() {
    byte[] isAuthority = der(SEQUENCE, TRUE);
    return der(SEQUENCE, der(OBJECT_ID, BASIC_CONSTRAINTS), TRUE, der(OCTET_STRING, isAuthority));
  }

  private static byte[] names(String host) {
    var names = new ByteArrayOutputStream();
    names.writeBytes(der(DNS_NAME, utf8("localhost")));
    names.writeBytes(der(IP_ADDRESS, new byte[] {127, 0, 0, 1}));
    names.writeBytes(der(IP_ADDRESS, new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
    names.writeBytes(name(host));
    return der(
        SEQUENCE,
        der(OBJECT_ID, SUBJECT_ALTERNATIVE_NAME),
        der(OCTET_STRING, der(SEQUENCE, names.toByteArray())));
  }

  private static byte[] name(String host) {
    boolean isName = host.chars().anyMatch(Character::isLetter) && host.indexOf(':') < 0;
    try {
      return isName
          ? der(DNS_NAME, utf8(host))
          : der(IP_ADDRESS, InetAddress.getByName(host).getAddress());
    } catch (UnknownHostException e) {
      return new byte[0];
    }
  }

  private static byte[] algorithm() {
    return der(SEQUENCE, der(OBJECT_ID, ECDSA_SHA256));
  }

  private static byte[] integer(BigInteger value) {
    return der(INTEGER, value.toByteArray());
  }

  private static byte[] time(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC).getYear() < 2050
        ? der(UTC_TIME, utf8(UNTIL_2049.format(instant)))
        : der(GENERALIZED_TIME, utf8(FROM_2050.format(instant)));
  }

  private static byte[] bits(byte[] bytes) {
    return der(BIT_STRING, new byte[1], bytes); // no unused bits
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Tag, length, content. */
  private static byte[] der(int tag, byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    var out = new ByteArrayOutputStream(length + 6);
    out.write(tag);
    if (length < 0x80) {
      out.write(length);
    } else {
      byte[] bytes = BigInteger.valueOf(length).toByteArray();
      int skipped = bytes[0] == 0 ? 1 : 0; // the sign
      out.write(0x80 | bytes.length - skipped);
      out.write(bytes, skipped, bytes.length - skipped);
    }
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static String pem(String label, byte[] der) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(label, lines, label);
  }

  private static void writePrivate(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    PrivateFiles.createFile(file);
    Files.writeString(file, text, StandardOpenOption.WRITE);
  }
}
