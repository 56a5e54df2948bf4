package dev.orrery.server.transfer.source;

import java.io.InputStream;
import java.io.PrintStream;

/** The streams of the process, and whether a person looks at the errors. */
public record Console(InputStream in, PrintStream out, PrintStream err, boolean isTerminal) {}
