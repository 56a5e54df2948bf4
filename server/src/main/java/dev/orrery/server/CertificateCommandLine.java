package dev.orrery.server;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * {@code orrery certificate}: prints the certificate that a server with {@code --tls} made for
 * itself, for clients to trust. It is no secret; the key beside it is, and is not shown.
 */
final class CertificateCommandLine {
  static final String NAME = "certificate";
  private static final String DATA = "--data";

  private final PrintStream out;

  CertificateCommandLine(PrintStream out) {
    this.out = out;
  }

  int run(String... arguments) throws IOException {
    var commandLine = new CommandLine(spec()).setOut(new PrintWriter(out, true));
    CommandLine.ParseResult parsed;
    try {
      parsed = commandLine.parseArgs(arguments);
    } catch (ParameterException e) {
      throw new ConfigException(e.getMessage());
    }
    if (CommandLine.executeHelpRequest(parsed) != null) {
      return Main.STARTED;
    }
    String data = parsed.matchedOptionValue(DATA, ConfigKey.DATA.defaultValue());
    Path certificate = MongoServer.ownCertificate(Path.of(data));
    if (!Files.exists(certificate)) {
      throw new IOException(
          "there is no certificate %s; a server with --tls and without --tls-cert makes it"
              .formatted(certificate));
    }
    out.print(Files.readString(certificate));
    out.flush();
    return Main.STARTED;
  }

  private static CommandSpec spec() {
    var spec = CommandSpec.create().name("orrery " + NAME).mixinStandardHelpOptions(true);
    spec.usageMessage()
        .description("Prints the certificate that a server with --tls made for itself, as PEM.");
    spec.addOption(
        OptionSpec.builder(DATA)
            .paramLabel("<dir>")
            .type(String.class)
            .description("The data directory of the server.")
            .build());
    return spec;
  }
}
