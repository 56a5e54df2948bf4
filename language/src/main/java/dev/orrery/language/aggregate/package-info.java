/** The aggregation pipeline: its stages, in what order they run, and what they become. */
package dev.orrery.language.aggregate;
