package dev.orrery.language.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.expression.ParseContext;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class UpdatePipelineTest {
  private static UpdatePipeline parse(String stages) {
    List<BsonDocument> documents = Pipeline.documents(BsonArray.parse(stages));
    UpdatePipeline.requireForm(documents);
    return UpdatePipeline.parse(documents, ParseContext.at(0));
  }

  @Test
  void stagesChangeOneDocumentAfterTheOther() {
    var pipeline = parse("[{$set: {b: '$a'}}, {$unset: 'a'}, {$replaceWith: {c: '$$ROOT'}}]");
    assertThat(pipeline.apply(BsonDocument.parse("{_id: 1, a: 2}")))
        .isEqualTo(BsonDocument.parse("{c: {_id: 1, b: 2}}"));
  }

  @Test
  void otherStagesAreRefusedUnderTheNamesOfWhatTheyStandFor() {
    assertRefused("[{$count: 'n'}]", 72, "$group is not allowed to be used within an update");
    assertRefused("[{$match: {a: 1}}]", 72, "$match is not allowed to be used within an update");
    assertRefused("[{$geoNear: {}}]", 72, "$geoNear is not allowed to be used within an update");
  }

  @Test
  void mistakesInAnyStageComeBeforeRefusals() {
    assertRefused(
        "[{$match: {}}, {$limit: 'a'}]",
        5107201,
        "invalid argument to $limit stage: Expected a number in: $limit: \"a\"");
    assertRefused(
        "[{$group: 1}, {$set: 1}]", 15947, "a group's fields must be specified in an object");
  }

  private static void assertRefused(String stages, int code, String message) {
    assertThatThrownBy(() -> parse(stages))
        .isInstanceOfSatisfying(
            CommandException.class, e -> assertThat(e.code().number()).isEqualTo(code))
        .hasMessage(message);
  }
}
