/** What the work for one request may take: time, memory, and where it puts the rest. */
package dev.orrery.language.limit;
