package dev.orrery.server.command;

import dev.orrery.value.RawDocument;
import java.util.List;

/** A kind-1 section of OP_MSG: documents that stand for an array field of the body. */
public record RequestSequence(String name, List<RawDocument> documents) {}
