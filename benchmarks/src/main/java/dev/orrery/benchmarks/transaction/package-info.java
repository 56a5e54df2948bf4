/** What transactions and open snapshots cost. */
package dev.orrery.benchmarks.transaction;
