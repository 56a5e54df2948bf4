/** How a read is carried out: plans, their choice, their execution and their explanation. */
package dev.orrery.server.plan;
