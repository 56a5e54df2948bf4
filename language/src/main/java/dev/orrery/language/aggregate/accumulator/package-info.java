/** Accumulators: what $group, buckets and windows make of many values. */
package dev.orrery.language.aggregate.accumulator;
