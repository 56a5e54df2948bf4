/** Checks of what concurrent transactions saw against what snapshot isolation allows. */
package dev.orrery.server.isolation;
