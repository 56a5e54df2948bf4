package dev.orrery.wire;

import java.util.List;

/** A kind 1 section: the documents of one array field of a command, sent beside its body. */
public record DocumentSequence(String name, List<DocumentBytes> documents) {}
