/**
 * Commits: what a batch may change, one group of the log for it, and what becomes of the indexes.
 */
package dev.orrery.storage.commit;
