/** Commands that record workloads, and say what they mean for the choice of a partition key. */
package dev.orrery.server.command.advice;
