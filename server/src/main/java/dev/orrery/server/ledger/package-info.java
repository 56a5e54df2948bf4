/** What requests cost, each of them counted: for a whole run, and for stretches of it. */
package dev.orrery.server.ledger;
