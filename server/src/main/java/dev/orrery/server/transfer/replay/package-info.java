/** Sends recorded workloads again. */
package dev.orrery.server.transfer.replay;
