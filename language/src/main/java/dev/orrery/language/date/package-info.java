/** Dates, time zones, units of time, and the texts of dates. */
package dev.orrery.language.date;
