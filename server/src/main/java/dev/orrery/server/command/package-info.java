/**
 * Commands: one class each, the table that names them, the reader of their fields, the dispatcher.
 */
package dev.orrery.server.command;
