/** The commands that define and look after collections, views and indexes. */
package dev.orrery.server.command.schema;
