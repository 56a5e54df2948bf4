/** The wiring: from command line to a listening server. */
package dev.orrery.server;
