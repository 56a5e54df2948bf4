/**
 * Who somebody is and what they may do: users, roles, privileges, and the proofs of a password.
 * Knows no commands.
 */
package dev.orrery.server.auth;
