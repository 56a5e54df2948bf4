/** The key space: effective partition keys, ranges, and which partition owns which. */
package dev.orrery.storage.partition;
