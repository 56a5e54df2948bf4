/** Which part of an index a filter needs: intervals of keys, field by field, and their scan. */
package dev.orrery.server.plan.bounds;
