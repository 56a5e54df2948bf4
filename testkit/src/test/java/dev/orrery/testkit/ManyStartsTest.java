package dev.orrery.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Starts and stops servers, 40 in the build and as many as {@code -Dstarts=1000} says, and looks
 * for what they leave behind.
 */
class ManyStartsTest {
  private static final int STARTS = Integer.getInteger("starts", 40);
  private static final int WARM_UP = 10;

  /** What a process has of things that a server might leave. */
  private record Holdings(long threads, long files, long direct, long heap, long folders) {
    static Holdings now() throws IOException {
      for (int i = 0; i < 3; i++) {
        System.gc();
      }
      var system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      long direct =
          ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
              .mapToLong(BufferPoolMXBean::getMemoryUsed)
              .sum();
      try (Stream<Path> folders = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
        long mine =
            folders.filter(each -> each.getFileName().toString().startsWith("orrery-")).count();
        return new Holdings(
            ManagementFactory.getThreadMXBean().getThreadCount(),
            system.getOpenFileDescriptorCount(),
            direct,
            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
            mine);
      }
    }
  }

  @Test
  void nothingIsLeftOfServersThatWereStopped() throws Exception {
    run(WARM_UP);
    Holdings before = Holdings.now();
    long start = System.nanoTime();
    run(STARTS);
    double millis = (System.nanoTime() - start) / 1e6 / STARTS;
    Holdings after = Holdings.now();
    System.out.printf("%d starts and stops, %.1f ms each%n%s%n%s%n", STARTS, millis, before, after);
    assertThat(after.threads).as(ManyStartsTest::threads).isLessThanOrEqualTo(before.threads + 2);
    assertThat(after.files).isLessThanOrEqualTo(before.files + 3);
    assertThat(after.direct).isLessThanOrEqualTo(before.direct + (32 << 20));
    assertThat(after.heap).isLessThanOrEqualTo(before.heap + (4 << 20) + STARTS * 1024L);
  }

  private static String threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .sorted()
        .collect(Collectors.joining(", "));
  }

  /** Without a driver, whose own threads and pools are not ours to count. */
  private static void run(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      try (Orrery server = Orrery.start();
          var socket = new Socket("127.0.0.1", server.port())) {
        assertThat(socket.isConnected()).isTrue();
      }
    }
  }
}
