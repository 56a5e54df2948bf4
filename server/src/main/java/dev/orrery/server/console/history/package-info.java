/** What the console remembers: load by time and partition, and who caused it. */
package dev.orrery.server.console.history;
