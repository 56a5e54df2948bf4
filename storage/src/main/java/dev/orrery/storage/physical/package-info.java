/** Collections and physical partitions in this process, what is in them, and what a reader sees. */
package dev.orrery.storage.physical;
