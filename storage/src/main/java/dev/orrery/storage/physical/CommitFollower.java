package dev.orrery.storage.physical;

/** Hears of every commit to a partition, under its lock, while something else goes through it. */
public interface CommitFollower {
  void follow(PendingWrite write);
}
