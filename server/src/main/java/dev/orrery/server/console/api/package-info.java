/** What the console tells and does, as JSON under {@code /api/v1}: one class for each matter. */
package dev.orrery.server.console.api;
