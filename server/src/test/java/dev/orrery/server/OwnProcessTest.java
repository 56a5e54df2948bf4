package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A process does not outlive the threads that its server is made of. */
class OwnProcessTest {
  /** The process: one of its threads ends in a way that it does not expect, the others live on. */
  public static final class Mortal {
    private Mortal() {}

    public static void main(String[] arguments) throws InterruptedException {
      var unused = new OwnProcess(System.err);
      new Thread(() -> fail(arguments[0]), "some-loop").start();
      TimeUnit.SECONDS.sleep(4);
      System.out.println("goes on");
      System.exit(0);
    }

    private static void fail(String how) {
      if (how.equals("memory")) {
        var taken = new ArrayList<byte[]>();
        while (!Thread.currentThread().isInterrupted()) {
          taken.add(new byte[16 << 20]);
        }
      }
      if (how.equals("error")) {
        throw new NoClassDefFoundError(how);
      }
      throw new IllegalStateException(how);
    }
  }

  private static Process run(String how) throws Exception {
    var command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx32m",
            "-cp",
            System.getProperty("java.class.path"),
            Mortal.class.getName(),
            how);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process;
  }

  private static String output(Process process) throws Exception {
    return new String(process.getInputStream().readAllBytes());
  }

  @Test
  void itEndsWithAThreadThatDiedOfAnError() throws Exception {
    for (String how : List.of("memory", "error")) {
      Process process = run(how);
      assertThat(process.exitValue()).as(how).isEqualTo(OwnProcess.HALF_ALIVE);
      assertThat(output(process)).contains("orrery: some-loop ended").doesNotContain("goes on");
    }
  }

  @Test
  void itTellsOfAThreadThatDiedOfAMistakeAndGoesOn() throws Exception {
    Process process = run("mistake");
    assertThat(process.exitValue()).isZero();
    assertThat(output(process)).contains("the thread some-loop ended", "goes on");
  }
}
