/** Logical sessions: which ones are alive, when they expire, and the cluster time they follow. */
package dev.orrery.server.session;
