package dev.orrery.benchmarks.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class TemplateTest {
  @Test
  void isAMessageWithTheDatabaseInIt() {
    Template template = Template.command("test", BsonDocument.parse("{ping: 1}"));
    ByteBuffer message = copy(template);
    assertThat(message.getInt(0)).isEqualTo(template.length());
    assertThat(message.getInt(12)).isEqualTo(2013);
    assertThat(Messages.decode(message)).isEqualTo(BsonDocument.parse("{ping: 1, $db: 'test'}"));
  }

  @Test
  void carriesDocumentsAfterTheBody() {
    var documents = List.of(BsonDocument.parse("{_id: 1}"), BsonDocument.parse("{_id: 2}"));
    Template template =
        Template.command("test", BsonDocument.parse("{insert: 'c'}"), "documents", documents);
    assertThat(Messages.decode(copy(template)))
        .isEqualTo(
            BsonDocument.parse("{insert: 'c', $db: 'test', documents: [{_id: 1}, {_id: 2}]}"));
  }

  @Test
  void findsWhatIsToBeReplaced() {
    Template template = Template.command("test", BsonDocument.parse("{find: 'c', a: 'xyz'}"));
    ByteBuffer message = copy(template);
    message.put(template.find("xyz"), new byte[] {'1', '2', '3'});
    assertThat(Messages.decode(message).getString("a").getValue()).isEqualTo("123");
    assertThatThrownBy(() -> template.find("none")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void findsANumber() {
    Template template = Template.command("test", BsonDocument.parse("{find: 'c', a: 123456789}"));
    ByteBuffer message = copy(template);
    message.putInt(template.find(123456789), 7);
    assertThat(Messages.decode(message).getInt32("a").getValue()).isEqualTo(7);
  }

  private static ByteBuffer copy(Template template) {
    var message = ByteBuffer.allocate(template.length()).order(ByteOrder.LITTLE_ENDIAN);
    template.copyTo(message);
    return message.flip();
  }
}
