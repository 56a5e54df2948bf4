package dev.orrery.language.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
  private static final long MEGABYTE = 1 << 20;

  private final MemoryBudget budget = new MemoryBudget(100 * MEGABYTE);

  @Test
  void oneAloneMayHoldHalfOfIt() {
    MemoryAccount one = budget.open();
    assertThat(one.tryHold(50 * MEGABYTE)).isTrue();
    assertThat(one.tryHold(2 * MEGABYTE)).isFalse();
    assertThat(budget.usedBytes()).isEqualTo(50 * MEGABYTE);
  }

  @Test
  void theGreedyShareAndLeaveAsMuchForOneMore() {
    var accounts = new ArrayList<MemoryAccount>();
    for (int i = 0; i < 9; i++) {
      accounts.add(budget.open());
    }
    for (int round = 0; round < 100; round++) {
      accounts.forEach(account -> account.tryHold(MEGABYTE));
    }
    assertThat(accounts).allMatch(account -> account.heldBytes() >= 9 * MEGABYTE);
    assertThat(budget.usedBytes()).isLessThanOrEqualTo(91 * MEGABYTE);
    assertThat(budget.open().tryHold(4 * MEGABYTE)).isTrue();
  }

  @Test
  void everybodyMayHoldALittleAlsoWhenNothingIsLeft() {
    budget.take(MemoryBudget.Use.MESSAGES, 100 * MEGABYTE);
    MemoryAccount account = budget.open();
    assertThat(account.tryHold(MEGABYTE)).isTrue();
    assertThat(account.tryHold(1)).isFalse();
    assertThatThrownBy(() -> account.hold(1))
        .isInstanceOf(CommandException.class)
        .extracting(thrown -> ((CommandException) thrown).code())
        .isEqualTo(ErrorCode.EXCEEDED_MEMORY_LIMIT);
  }

  @Test
  void ofASmallHeapAThirdIsTakenThatTheEngineLeaves() {
    assertThat(MemoryBudget.partOf(128 * MEGABYTE)).isEqualTo(32 * MEGABYTE);
    assertThat(MemoryBudget.partOf(40 * MEGABYTE)).isEqualTo(5 * MEGABYTE);
    assertThat(MemoryBudget.partOf(3104 * MEGABYTE)).isEqualTo(1024 * MEGABYTE);
  }

  @Test
  void ofASmallBudgetTheFreePartIsSmallToo() {
    var small = new MemoryBudget(16 * MEGABYTE);
    small.take(MemoryBudget.Use.MESSAGES, 16 * MEGABYTE);
    MemoryAccount account = small.open();
    assertThat(account.tryHold(MEGABYTE / 4)).isTrue();
    assertThat(account.tryHold(1)).isFalse();
  }

  @Test
  void whoWaitsGetsItWhenOthersGiveItBackAndOneAtATimeGetsItAtOnce() throws Exception {
    MemoryAccount first = budget.open();
    first.await(90 * MEGABYTE, () -> {});
    assertThat(first.heldBytes()).isEqualTo(90 * MEGABYTE);
    var threads = Executors.newFixedThreadPool(2);
    try {
      MemoryAccount second = budget.open();
      MemoryAccount third = budget.open();
      var looks = new AtomicInteger();
      var waits = threads.submit(() -> second.await(40 * MEGABYTE, looks::incrementAndGet));
      var givesUp =
          threads.submit(
              () ->
                  third.await(
                      60 * MEGABYTE,
                      () -> {
                        throw new CommandException(ErrorCode.MAX_TIME_MS_EXPIRED, "over");
                      }));
      assertThatThrownBy(givesUp::get).hasMessageContaining("over");
      while (looks.get() < 3) {
        Thread.onSpinWait();
      }
      assertThat(second.heldBytes()).isZero();
      first.close();
      waits.get();
      assertThat(second.heldBytes()).isEqualTo(40 * MEGABYTE);
      third.await(60 * MEGABYTE, () -> {}); // the first gave its right to take more back
      second.close();
      third.close();
    } finally {
      threads.shutdownNow();
    }
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void nobodyGetsMoreThanThereIsWhileClientsDoNotTakeTheirReplies() {
    budget.take(MemoryBudget.Use.REPLIES, 60 * MEGABYTE);
    var looks = new AtomicInteger();
    MemoryAccount account = budget.open();
    account.await(
        60 * MEGABYTE,
        () -> {
          if (looks.incrementAndGet() == 3) {
            budget.give(MemoryBudget.Use.REPLIES, 60 * MEGABYTE);
          }
        });
    assertThat(looks.get()).isEqualTo(3);
    account.close();
  }

  @Test
  void nobodyWaitsForEverWithAThreadThatOthersNeed() {
    budget.take(MemoryBudget.Use.REPLIES, 90 * MEGABYTE);
    MemoryAccount account = budget.open();
    long start = System.nanoTime();
    assertThatThrownBy(() -> account.await(60 * MEGABYTE, () -> {}))
        .isInstanceOfSatisfying(
            CommandException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.EXCEEDED_MEMORY_LIMIT));
    assertThat(System.nanoTime() - start).isGreaterThan(5_000_000_000L);
    account.close();
  }

  @Test
  void anAccountGivesEverythingBackWhoeverForgotTo() {
    MemoryAccount account = budget.open();
    var holding = new Holding(account);
    holding.grow(5 * MEGABYTE);
    account.hold(MEGABYTE);
    account.rest();
    account.close();
    holding.close();
    account.close();
    assertThat(account.tryHold(MEGABYTE)).isTrue(); // of a request that has ended: not counted
    assertThat(budget.usedBytes()).isZero();
    assertThat(budget.restingBytes()).isZero();
    assertThat(budget.mostBytes()).isGreaterThanOrEqualTo(6 * MEGABYTE);
  }

  @Test
  void aBufferThatGrowsByLittleAsksSeldom() {
    MemoryAccount account = budget.open();
    var holding = new Holding(account);
    long changes = 0;
    long before = 0;
    for (int i = 0; i < 100_000; i++) {
      assertThat(holding.grow(10)).isTrue();
      changes += account.heldBytes() == before ? 0 : 1;
      before = account.heldBytes();
    }
    assertThat(changes).isLessThan(20);
    assertThat(account.heldBytes()).isBetween(MEGABYTE - 64_000, MEGABYTE + 64_000);
    holding.grow(-999_000);
    assertThat(account.heldBytes()).isLessThanOrEqualTo(64 << 10);
  }

  @Test
  void idleCursorsKeepAQuarterAndTheOthersSpill() {
    var spilled = new ArrayList<Boolean>();
    var accounts = new ArrayList<MemoryAccount>();
    for (int i = 0; i < 40; i++) {
      MemoryAccount account = budget.open();
      var holding = new Holding(account);
      holding.grow(MEGABYTE);
      account.add(
          spills -> {
            spilled.add(spills);
            if (spills) {
              holding.clear();
            }
          });
      account.rest();
      accounts.add(account);
    }
    assertThat(spilled).filteredOn(each -> !each).hasSizeBetween(20, 25);
    assertThat(budget.restingBytes()).isLessThanOrEqualTo(25 * MEGABYTE);
    accounts.forEach(MemoryAccount::wake);
    assertThat(budget.restingBytes()).isZero();
  }

  @Test
  void whatIdleCursorsCannotSpillIsHalfOfItAtTheMost() {
    var accounts = new ArrayList<MemoryAccount>();
    int refused = 0;
    for (int i = 0; i < 40; i++) {
      MemoryAccount account = budget.open();
      account.hold(2 * MEGABYTE);
      try {
        account.rest();
        accounts.add(account);
      } catch (CommandException tooMuch) {
        account.close();
        refused++;
      }
    }
    assertThat(accounts).hasSizeBetween(20, 25);
    assertThat(refused).isPositive();
    accounts.forEach(MemoryAccount::wake);
    accounts.forEach(MemoryAccount::rest); // whoever was let in may come back
    MemoryAccount small = budget.open();
    small.hold(1_000);
    small.rest();
    small.close();
    accounts.forEach(MemoryAccount::close);
    assertThat(budget.restingBytes()).isZero();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void whateverManyThreadsDoItIsZeroInTheEnd() throws Exception {
    var threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        var random = new Random(thread);
        tasks.add(() -> walk(random));
      }
      for (var done : threads.invokeAll(tasks)) {
        done.get();
      }
    } finally {
      threads.shutdown();
    }
    assertThat(budget.usedBytes()).isZero();
    assertThat(budget.restingBytes()).isZero();
    assertThat(budget.mostBytes()).isLessThanOrEqualTo(100 * MEGABYTE + 8 * MEGABYTE);
  }

  private static void restIfPossible(MemoryAccount account) {
    try {
      account.rest();
    } catch (CommandException tooMuch) {
      assertThat(tooMuch.code()).isEqualTo(ErrorCode.EXCEEDED_MEMORY_LIMIT);
    }
  }

  private Void walk(Random random) {
    for (int round = 0; round < 2_000; round++) {
      MemoryAccount account = budget.open();
      var holding = new Holding(account);
      var other = new Holding(account);
      for (int step = 0; step < 20; step++) {
        switch (random.nextInt(6)) {
          case 0 -> restIfPossible(account);
          case 1 -> account.wake();
          case 2 -> holding.clear();
          case 3 -> other.grow(random.nextInt(1 << 20) - other.bytes());
          default -> {
            if (!holding.grow(random.nextInt(4 << 20))) {
              holding.clear();
            }
          }
        }
      }
      account.close();
    }
    return null;
  }
}
