/** The embedded engine: one durable log, and Chronicle Maps, slots and trees over it. */
package dev.orrery.storage.engine;
