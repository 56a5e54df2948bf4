package dev.orrery.server.plan.bounds;

import dev.orrery.language.query.Filter;
import java.util.Set;

/**
 * What a filter finds in an index.
 *
 * @param isBounded whether the first field of the index has a condition
 * @param excludesMissing whether no match lacks all fields of the index
 * @param ensured parts of the filter that the bounds alone ensure; by identity
 */
public record IndexMatch(
    IndexAccess access, boolean isBounded, boolean excludesMissing, Set<Filter> ensured) {}
