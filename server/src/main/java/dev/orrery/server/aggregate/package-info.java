/** The aggregation pipeline: its stages, accumulators and window functions. */
package dev.orrery.server.aggregate;
