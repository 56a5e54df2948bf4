/** The commands on users and roles, how clients log in, and who may do what. */
package dev.orrery.server.command.security;
