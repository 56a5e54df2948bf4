/** HTTP for the console: requests and replies as plain values, and the sockets behind them. */
package dev.orrery.server.console.http;
