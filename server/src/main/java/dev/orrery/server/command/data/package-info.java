/**
 * The commands on documents: reads, writes, aggregations, cursors, and writes that are repeated.
 */
package dev.orrery.server.command.data;
