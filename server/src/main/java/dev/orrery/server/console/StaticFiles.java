package dev.orrery.server.console;

import dev.orrery.server.console.http.HttpHead;
import dev.orrery.server.console.http.HttpReply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** The pages, their scripts and styles, as they lie in the jar. */
final class StaticFiles {
  private static final String ROOT = "/console";
  private static final Pattern NAME = Pattern.compile("(/[a-z0-9][a-z0-9.-]*)+");

  private static final Map<String, String> TYPES =
      Map.of(
          "css", "text/css; charset=utf-8",
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "json", HttpReply.JSON,
          "mjs", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml");

  /** A file, packed as browsers take it. */
  private record File(byte[] plain, byte[] packed, String tag, String type) {}

  private final Map<String, File> files = new ConcurrentHashMap<>(); // only what exists

  /** The file of that path, or null. */
  @Nullable HttpReply find(HttpHead head) {
    String path = head.path().equals("/") ? "/index.html" : head.path();
    File file = files.get(path);
    if (file == null) {
      file = load(path);
    }
    if (file == null) {
      return null;
    }
    if (file.tag.equals(head.header("if-none-match"))) {
      return HttpReply.empty(304).with("etag", file.tag);
    }
    boolean isPacked = accepts(head);
    return HttpReply.of(200, file.type, isPacked ? file.packed : file.plain)
        .with("etag", file.tag)
        .with("cache-control", "no-cache") // asked for again, and mostly answered by 304
        .with("vary", "accept-encoding")
        .with("content-encoding", isPacked ? "gzip" : "identity");
  }

  private static boolean accepts(HttpHead head) {
    String encodings = head.header("accept-encoding");
    return encodings != null && encodings.contains("gzip");
  }

  private @Nullable File load(String path) {
    String type = TYPES.get(path.substring(path.lastIndexOf('.') + 1));
    if (type == null || !NAME.matcher(path).matches() || path.contains("..")) {
      return null;
    }
    try (InputStream in = StaticFiles.class.getResourceAsStream(ROOT + path)) {
      if (in == null) {
        return null;
      }
      byte[] plain = in.readAllBytes();
      var file = new File(plain, pack(plain), tag(plain), type);
      files.put(path, file);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] pack(byte[] plain) {
    var packed = new ByteArrayOutputStream(plain.length / 3 + 64);
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  private static String tag(byte[] plain) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(plain);
      return '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(digest) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
