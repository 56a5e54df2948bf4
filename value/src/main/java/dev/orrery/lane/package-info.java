/** What kind of thread this is, and what it may therefore do. */
package dev.orrery.lane;
