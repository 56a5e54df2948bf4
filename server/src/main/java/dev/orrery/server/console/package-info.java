/** The console: who may see it, its pages, and where they come from. */
package dev.orrery.server.console;
