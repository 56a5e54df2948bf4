/** What the accounting of request units costs. */
package dev.orrery.benchmarks.metering;
