/** Which part of an index a filter needs: intervals of keys, field by field. */
package dev.orrery.server.plan.bounds;
