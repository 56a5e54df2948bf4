/** What the work for one request may take: time, and memory. */
package dev.orrery.server.limit;
