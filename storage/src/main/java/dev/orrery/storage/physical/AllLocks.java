package dev.orrery.storage.physical;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** Several locks as one, taken in their order. */
public final class AllLocks implements Lock {
  private final List<? extends Lock> locks;

  public AllLocks(List<? extends Lock> locks) {
    this.locks = List.copyOf(locks);
  }

  @Override
  public void lock() {
    locks.forEach(Lock::lock);
  }

  @Override
  public void unlock() {
    for (int i = locks.size() - 1; i >= 0; i--) {
      locks.get(i).unlock();
    }
  }

  @Override
  public void lockInterruptibly() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean tryLock() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException();
  }
}
