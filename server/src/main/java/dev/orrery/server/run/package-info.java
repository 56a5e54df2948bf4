/** {@code orrery run}: a server for the time of another process, and what that process spent. */
package dev.orrery.server.run;
