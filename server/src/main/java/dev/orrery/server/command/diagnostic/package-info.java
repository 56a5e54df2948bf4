/** The commands that tell about the server, its sessions and what it is doing. */
package dev.orrery.server.command.diagnostic;
