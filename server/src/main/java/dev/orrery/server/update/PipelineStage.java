package dev.orrery.server.update;

import dev.orrery.server.expression.ParseContext;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** How one stage of an update's pipeline is parsed. */
interface PipelineStage {
  /** What the stage makes of a document; it leaves the one it is given as it is. */
  UnaryOperator<BsonDocument> parse(String name, BsonValue argument, ParseContext context);
}
