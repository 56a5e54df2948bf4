/** Collections as commands see them: found by name, with their rules and their figures. */
package dev.orrery.server.command.collection;
