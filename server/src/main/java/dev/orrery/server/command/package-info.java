/** The heart of the server: from a request to its command and its reply, whatever it is about. */
package dev.orrery.server.command;
