/** What was measured, and how it is told: tables, JSON, plots and the list of goals. */
package dev.orrery.benchmarks.report;
