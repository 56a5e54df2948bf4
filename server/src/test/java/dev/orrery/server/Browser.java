package dev.orrery.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** Chromium without a window, driven by WebDriver; talks to nobody but the server under test. */
final class Browser implements AutoCloseable {
  private static final Pattern PORT = Pattern.compile("successfully on port (\\d+)");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process driver;
  private final URI base;
  private final String session;

  private Browser(Process driver, URI base) throws IOException {
    this.driver = driver;
    this.base = base;
    BsonDocument wanted =
        BsonDocument.parse(
            """
            {capabilities: {alwaysMatch: {
              'goog:chromeOptions': {args: ['--headless=new', '--no-sandbox', '--disable-gpu',
                '--disable-dev-shm-usage', '--disable-background-networking', '--no-first-run',
                '--disable-component-update', '--disable-sync']},
              'goog:loggingPrefs': {browser: 'ALL'}}}}
            """);
    this.session = send("POST", "/session", wanted).asDocument().getString("sessionId").getValue();
  }

  static boolean isInstalled() {
    return List.of("/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver").stream()
        .anyMatch(each -> Files.isExecutable(Path.of(each)));
  }

  static Browser start() throws IOException {
    Process driver =
        new ProcessBuilder("chromedriver", "--port=0").redirectErrorStream(true).start();
    var out =
        new BufferedReader(new InputStreamReader(driver.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher port = PORT.matcher(line);
      if (port.find()) {
        try {
          return new Browser(driver, URI.create("http://127.0.0.1:" + port.group(1)));
        } catch (IOException | RuntimeException e) {
          driver.destroy();
          throw e;
        }
      }
    }
    driver.destroy();
    throw new IOException("chromedriver did not start");
  }

  private BsonValue send(String method, String path, BsonDocument body) throws IOException {
    var request =
        HttpRequest.newBuilder(base.resolve(path))
            .timeout(PATIENCE)
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body.toJson()));
    try {
      HttpResponse<String> reply = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      BsonValue value = BsonDocument.parse(reply.body()).get("value");
      if (reply.statusCode() != 200) {
        throw new IOException(value.toString());
      }
      return value;
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private BsonValue ask(String method, String path, BsonDocument body) throws IOException {
    return send(method, "/session/" + session + path, body);
  }

  private void tell(String command, String parameters) throws IOException {
    ask(
        "POST",
        "/goog/cdp/execute",
        new BsonDocument("cmd", new BsonString(command))
            .append("params", BsonDocument.parse(parameters)));
  }

  /** Sizes the page, and chooses light or dark. */
  void look(int width, int height, String scheme) throws IOException {
    tell(
        "Emulation.setDeviceMetricsOverride",
        "{width: %d, height: %d, deviceScaleFactor: 1, mobile: false}".formatted(width, height));
    tell(
        "Emulation.setEmulatedMedia",
        "{features: [{name: 'prefers-color-scheme', value: '" + scheme + "'}]}");
  }

  void open(String url) throws IOException {
    ask("POST", "/url", new BsonDocument("url", new BsonString("about:blank")));
    ask("POST", "/url", new BsonDocument("url", new BsonString(url)));
  }

  /** Runs a script in the page; what it returns. */
  BsonValue run(String script) throws IOException {
    return ask(
        "POST",
        "/execute/sync",
        new BsonDocument("script", new BsonString(script)).append("args", new BsonArray()));
  }

  /** The same for a script that calls back, as the last of its arguments. */
  BsonValue runLong(String script) throws IOException {
    return ask(
        "POST",
        "/execute/async",
        new BsonDocument("script", new BsonString(script)).append("args", new BsonArray()));
  }

  /** Waits until an expression is true in the page. */
  void await(String expression) throws Exception {
    Waiting.until(
        () -> run("return Boolean(" + expression + ") || document.body.innerText"),
        value -> value.isBoolean() && value.asBoolean().getValue());
  }

  /** Waits until a text is to be seen. */
  void awaitText(String text) throws Exception {
    await("document.body.innerText.includes(" + quote(text) + ")");
  }

  static String quote(String text) {
    String json = new BsonDocument("t", new BsonString(text)).toJson();
    return json.substring(json.indexOf(':') + 1, json.length() - 1).strip();
  }

  /** Clicks the first element that the selector finds and that has that text. */
  void click(String selector, String text) throws Exception {
    String found =
        "[...document.querySelectorAll(%s)].find(e => e.textContent.trim().startsWith(%s))"
            .formatted(quote(selector), quote(text));
    await(found);
    run(found + ".click()");
  }

  /** Fills a field as somebody who types does. */
  void fill(String selector, String text) throws Exception {
    String found = "document.querySelector(" + quote(selector) + ")";
    await(found);
    run(
        "const e = %s; e.value = %s; e.dispatchEvent(new Event('input', {bubbles: true}))"
            .formatted(found, quote(text)));
  }

  /** The page as a picture, from top to bottom as far as that is not too far. */
  void picture(Path file, int width) throws IOException {
    int height =
        run("return Math.min(2400, document.documentElement.scrollHeight)").asNumber().intValue();
    tell(
        "Emulation.setDeviceMetricsOverride",
        "{width: %d, height: %d, deviceScaleFactor: 1, mobile: false}"
            .formatted(width, Math.max(600, height)));
    BsonValue png = ask("GET", "/screenshot", null);
    Files.createDirectories(file.getParent());
    Files.write(file, Base64.getDecoder().decode(png.asString().getValue()));
  }

  /** What the browser complained about since it was last asked. */
  List<String> complaints() throws IOException {
    BsonValue log = ask("POST", "/se/log", new BsonDocument("type", new BsonString("browser")));
    return log.asArray().stream()
        .map(entry -> entry.asDocument().getString("message").getValue())
        .toList();
  }

  int number(String expression) throws IOException {
    BsonValue value = run("return " + expression);
    return value instanceof BsonInt32 small ? small.getValue() : value.asNumber().intValue();
  }

  @Override
  public void close() throws IOException {
    try {
      ask("DELETE", "", null);
    } finally {
      driver.destroy();
    }
  }
}
