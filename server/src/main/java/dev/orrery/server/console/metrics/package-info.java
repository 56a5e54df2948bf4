/** What a server did and has, as Prometheus reads it. */
package dev.orrery.server.console.metrics;
