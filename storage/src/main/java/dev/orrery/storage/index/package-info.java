/** Ordered secondary indexes and record slots: paged structures with checkpoints. */
package dev.orrery.storage.index;
