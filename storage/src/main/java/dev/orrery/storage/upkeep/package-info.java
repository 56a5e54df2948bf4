/** What the engine does by itself: checkpoints, compaction, splits, each at its pace. */
package dev.orrery.storage.upkeep;
