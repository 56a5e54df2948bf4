/** The storage interface: engines, partition stores, write batches, and what they report. */
package dev.orrery.storage;
