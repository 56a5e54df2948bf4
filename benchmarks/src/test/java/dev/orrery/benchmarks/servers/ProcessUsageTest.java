package dev.orrery.benchmarks.servers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessUsageTest {
  @Test
  void addsUserAndSystemTimeWhateverTheNameOfTheProgram() {
    String stat = "42 (a ) b) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 30 0 12345";
    assertThat(ProcessUsage.cpuNanos(stat)).isEqualTo(2_000_000_000L);
  }

  @Test
  void knowsItsOwnProcess() throws Exception {
    long pid = ProcessHandle.current().pid();
    assertThat(ProcessUsage.cpuNanos(pid)).isPositive();
    assertThat(ProcessUsage.residentBytes(pid)).isGreaterThan(1 << 20);
  }

  @Test
  void theCeilingAnswersWithAsManyBytesAsAsked() {
    assertThat(CeilingServer.reply(1200)).hasSize(1200);
  }

  @Test
  void compilersTakeAPartOfTheTime() throws Exception {
    long own = ProcessHandle.current().pid();
    long compilers = ProcessUsage.compilerNanos(own);
    assertThat(compilers).isBetween(1L, ProcessUsage.cpuNanos(own));
  }
}
