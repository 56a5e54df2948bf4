/** Cursors that clients hold between requests. */
package dev.orrery.server.cursor;
