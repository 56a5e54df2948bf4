package dev.orrery.server.console.api;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.console.http.HttpReply;
import dev.orrery.server.console.http.JsonText;
import dev.orrery.server.throughput.RateLimit;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Errors as the API tells them: a status for HTTP, a code and words for whoever reads. */
public final class Errors {
  private static final Map<Integer, Integer> STATUSES =
      Map.of(
          ErrorCode.UNAUTHORIZED.number(), 403,
          ErrorCode.AUTHENTICATION_FAILED.number(), 401,
          ErrorCode.NAMESPACE_NOT_FOUND.number(), 404,
          ErrorCode.MAX_TIME_MS_EXPIRED.number(), 504,
          ErrorCode.REQUEST_RATE_TOO_LARGE.number(), 429,
          ErrorCode.INTERNAL_ERROR.number(), 500);

  private Errors() {}

  public static HttpReply reply(int status, String code, String message) {
    JsonText json = JsonText.object().beginObject("error");
    json.field("code", code).field("message", message).end().end();
    return HttpReply.json(status, json.toString());
  }

  /** The answer to a failure that somebody can do something about; null for a mistake of ours. */
  public static @Nullable HttpReply reply(Throwable thrown) {
    Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    if (failure instanceof ApiException error) {
      return reply(error.status(), error.code(), error.getMessage());
    }
    if (failure instanceof CommandException error) {
      return reply(status(error.code().number()), error.code().codeName(), error.getMessage());
    }
    return null;
  }

  static int status(int code) {
    return STATUSES.getOrDefault(code, 400);
  }

  /** The answer to a command that failed. */
  static HttpReply of(BsonDocument reply) {
    int code = reply.isNumber("code") ? reply.getNumber("code").intValue() : 0;
    String name = reply.isString("codeName") ? reply.getString("codeName").getValue() : "";
    String message = reply.isString("errmsg") ? reply.getString("errmsg").getValue() : "";
    JsonText json = JsonText.object().beginObject("error");
    json.field("code", name).field("number", code).field("message", message).end().end();
    HttpReply error = HttpReply.json(status(code), json.toString());
    if (code != ErrorCode.REQUEST_RATE_TOO_LARGE.number()) {
      return error;
    }
    long seconds = (RateLimit.retryAfterMillis(message) + 999) / 1000;
    return error.with("retry-after", Long.toString(seconds));
  }
}
