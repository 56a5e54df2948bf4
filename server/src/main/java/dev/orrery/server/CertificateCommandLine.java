package dev.orrery.server;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * {@code orrery certificate}: prints the certificate that a server with {@code --tls} made for
 * itself, for clients to trust. It is no secret; the key beside it is, and is not shown.
 */
final class CertificateCommandLine {
  static final String NAME = "certificate";

  private final PrintStream out;

  CertificateCommandLine(PrintStream out) {
    this.out = out;
  }

  int run(String... arguments) throws IOException {
    var line =
        new DataCommandLine(
            NAME,
            "Prints the certificate that a server with --tls made for itself, as PEM.",
            ConfigKey.DATA.defaultValue());
    DataCommandLine.Given given = line.parse(out, arguments);
    if (given == null) {
      return Main.STARTED;
    }
    Path certificate = MongoServer.ownCertificate(given.data());
    if (!Files.exists(certificate)) {
      throw new IOException(
          "there is no certificate %s; a server with --tls and without --tls-cert makes it"
              .formatted(certificate));
    }
    out.print(Files.readString(certificate));
    out.flush();
    return Main.STARTED;
  }
}
