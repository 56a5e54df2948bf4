package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import com.mongodb.client.gridfs.GridFSBuckets;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Files of 10 MB go up and down through GridFS. */
@ExtendWith(ClientTable.class)
final class FilesTest {
  private static final int FILE_BYTES = 10 * 1024 * 1024 + 17;

  @RegisterExtension private static final SharedServer server = new SharedServer();

  @TempDir private Path home;

  @Test
  @Exercises(client = ClientKind.JAVA, what = "GridFS: 10 MB up and down")
  void javaStoresAFile() {
    byte[] content = new byte[FILE_BYTES];
    new Random(1).nextBytes(content);
    try (var client = MongoClients.create(server.uri())) {
      var bucket = GridFSBuckets.create(client.getDatabase("javaFiles"));
      var id = bucket.uploadFromStream("large", new ByteArrayInputStream(content));
      var copy = new ByteArrayOutputStream();
      bucket.downloadToStream(id, copy);
      assertThat(copy.toByteArray()).isEqualTo(content);
      bucket.delete(id);
      assertThat(bucket.find()).isEmpty();
    }
  }

  @Test
  @Exercises(client = ClientKind.NODE, what = "GridFS: 10 MB up and down, ranges, rename, delete")
  void nodeStoresAFile() throws IOException {
    assertThat(lines(ClientTool.MONGODB.script("gridfs-mongodb.mjs", server.uri(), "nodeFiles")))
        .containsExactly(
            "stored 10485777 261120 test",
            "chunks 41",
            "same true",
            "part true",
            "renamed renamed",
            "left 0");
  }

  @Test
  @Exercises(client = ClientKind.PYMONGO, what = "GridFS: 10 MB up and down")
  void pythonStoresAFile() throws IOException {
    assertThat(lines(ClientTool.GRIDFS.script("gridfs_pymongo.py", server.uri(), "pythonFiles")))
        .containsExactly("stored 10485777 261120 test", "same True", "left 0");
  }

  private List<String> lines(List<String> command) throws IOException {
    return ClientProcess.lines(home, command);
  }
}
