package dev.orrery.language.update;

/** An operator at the end of its path. */
non-sealed interface LeafNode extends UpdateNode {}
