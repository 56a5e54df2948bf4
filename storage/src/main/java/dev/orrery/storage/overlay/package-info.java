/**
 * Transactions over any engine: a view at a point, with the documents that the transaction wrote
 * laid over it. What only the engine can do, to claim a key and to commit, is its {@link
 * dev.orrery.storage.overlay.Ground}.
 */
package dev.orrery.storage.overlay;
