package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.mongodb.client.MongoClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.bson.BsonValue;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The console as people see it, in Chromium. Pictures of all pages are left in target. */
final class ConsolePagesTest {
  private static final Path PICTURES = Path.of("target", "console-pictures");
  private static final Path AXE =
      Path.of("..", "compat-tests", "clients", "node_modules", "axe-core", "axe.min.js");
  private static final List<String> PAGES =
      List.of(
          "overview",
          "heat/shop/orders",
          "partitions/shop/orders",
          "operations",
          "query/shop/orders",
          "data/shop/orders",
          "data",
          "connect",
          "honesty");

  private static TestServer server;
  private static MongoClient client;
  private static Browser browser;

  @BeforeAll
  static void start() throws Exception {
    // Without Chromium there is nothing to see; where everything is installed it must be there.
    assumeTrue(Browser.isInstalled() || System.getenv("CI") != null);
    server = TestServer.start("--console-port=0", "--test-commands");
    client = server.client("", "appName=shop");
    ConsoleApiTest.heat(client);
    browser = Browser.start();
    browser.look(1280, 900, "light");
  }

  @AfterAll
  static void stop() throws IOException {
    if (browser != null) {
      browser.close();
    }
    if (client != null) {
      client.close();
    }
    if (server != null) {
      server.close();
    }
  }

  /** Among others of what the Content-Security-Policy forbids. */
  @AfterEach
  void theBrowserHasNothingToComplainAbout() throws IOException {
    assertThat(browser.complaints()).isEmpty();
  }

  private static void open(String page) throws IOException {
    browser.open(server.console() + "/#/" + page);
  }

  @Test
  void theHeatMapShowsTheHotPartitionAndAClickNamesTheKey() throws Exception {
    for (int i = 0; i < 50; i++) {
      client
          .getDatabase("shop")
          .getCollection("orders")
          .insertOne(new Document("customerId", "c-17"));
    }
    open("heat/shop/orders");
    browser.awaitText("is customerId c-17");

    // The row of the partition that the diagnosis names, at its busiest second.
    browser.run(
        """
        return fetch('/api/v1/collections/shop/orders/heat').then(r => r.json()).then(heat => {
          const id = heat.diagnoses[0].partition;
          const row = heat.partitions.findIndex(p => p.id === id);
          const units = heat.partitions[row].units;
          const slot = units.indexOf(Math.max(...units));
          const canvas = document.getElementById('heat-canvas');
          const box = canvas.getBoundingClientRect();
          const height = (box.height - 22) / heat.partitions.length;
          canvas.dispatchEvent(new MouseEvent('click', {bubbles: true,
            clientX: box.left + 64 + (slot + 0.5) * (box.width - 64) / heat.slots,
            clientY: box.top + (row + 0.5) * height}));
        })
        """);
    browser.await("document.querySelector('#cell .bars td code')?.innerText === 'c-17'");
    browser.click("#cell button", "Example and explain");
    browser.await("document.querySelector('#cell pre')?.innerText.includes('\"orders\"')");
    browser.picture(PICTURES.resolve("heat-clicked.png"), 1280);
  }

  @Test
  void faultsAreOrderedAndEnded() throws Exception {
    open("operations");
    browser.await("document.querySelector('#faults form')");
    browser.run(
        """
        const kind = document.querySelector('#faults select');
        kind.value = 'fail';
        kind.dispatchEvent(new Event('change', {bubbles: true}));
        """);
    browser.await("document.querySelectorAll('#faults input')[1].value.startsWith('code: 112')");
    browser.click("#faults button", "Order");
    browser.await("document.querySelector('#faults td')?.innerText === 'console'");
    assertThatThrownBy(() -> client.getDatabase("other").getCollection("a").countDocuments())
        .hasMessageContaining("112");
    browser.click("#faults button", "End console");
    browser.awaitText("None is ordered.");
    assertThat(client.getDatabase("other").getCollection("a").countDocuments()).isZero();
  }

  @Test
  void theHeatMapIsUsedByKeysAlone() throws Exception {
    open("heat/shop/orders");
    browser.await("document.getElementById('heat-canvas')");
    browser.run(
        """
        const canvas = document.getElementById('heat-canvas');
        canvas.focus();
        canvas.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}));
        """);
    browser.await("document.querySelector('.readout').innerText.startsWith('Partition')");
    browser.run(
        """
        document.getElementById('heat-canvas')
          .dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
        """);
    browser.await("document.getElementById('cell')");
  }

  @Test
  void aSplitAppearsInTheMap() throws Exception {
    open("partitions/shop/orders");
    browser.await("document.querySelectorAll('#partitions tbody tr').length >= 4");
    int before = browser.number("document.querySelectorAll('#partitions tbody tr').length");
    browser.click("#partitions button", "Split");
    browser.click("dialog button[type=submit]", "Split");
    browser.await("document.querySelectorAll('#partitions tbody tr').length === " + (before + 1));
    browser.await("document.querySelector('#tree')?.innerText.includes('split in')");
  }

  @Test
  void aForecastIsMadeBeforeAnythingIsDone() throws Exception {
    open("partitions/shop/orders");
    browser.fill("input[type=number]", "90000");
    browser.click("button[type=submit]", "Tell me");
    browser.await("document.getElementById('forecast')?.innerText.includes('9 partitions')");
  }

  @Test
  void aQueryShowsItsChargeAndItsPlan() throws Exception {
    open("query/shop/orders");
    browser.fill("#query-text", "{ customerId: 'c-17', n: { $lt: 20 } }");
    browser.click("#run", "Run");
    browser.await(
        "/^[0-9.]+ RU for 18 documents/.test(document.getElementById('charge')?.innerText)");
    browser.click("button", "Explain");
    browser.await("document.querySelector('.explain')?.innerText.includes('IXSCAN')");
  }

  @Test
  void aDocumentIsEditedAndItsTypesStay() throws Exception {
    client
        .getDatabase("shop")
        .getCollection("edited")
        .insertOne(Document.parse("{_id: 1, count: {$numberLong: '5'}, half: 2.0, name: 'old'}"));
    open("data/shop/edited");
    browser.click(".document button", "Edit");
    browser.await("document.getElementById('document-text')?.value.includes('NumberLong')");
    browser.run(
        """
        const area = document.getElementById('document-text');
        area.value = area.value.replace('"old"', '"new"');
        area.dispatchEvent(new Event('input', {bubbles: true}));
        """);
    browser.click("dialog button[type=submit]", "Save");
    browser.awaitText("\"new\"");
    Document stored = client.getDatabase("shop").getCollection("edited").find().first();
    assertThat(stored)
        .isEqualTo(Document.parse("{_id: 1, count: {$numberLong: '5'}, half: 2.0, name: 'new'}"));
  }

  @Test
  void whatDocumentsHoldNeverRuns() throws Exception {
    String script = "<img src=x onerror='window.broken = 1'><script>window.broken = 1</script>";
    client
        .getDatabase("shop")
        .getCollection("hostile")
        .insertOne(new Document("_id", script).append(script, script));
    open("data/shop/hostile");
    browser.awaitText("onerror='window.broken = 1'");
    browser.click(".choice button", "Table");
    browser.await("document.querySelector('#documents')");
    assertThat(browser.run("return window.broken ?? null").isNull()).isTrue();
    assertThat(browser.number("document.querySelectorAll('main img, main script').length"))
        .isZero();
  }

  @Test
  void throughputIsRaisedAndSplitsFollow() throws Exception {
    client
        .getDatabase("shop")
        .runCommand(
            Document.parse(
                "{customAction: 'CreateCollection', collection: 'raised', shardKey: 'k',"
                    + " offerThroughput: 400}"));
    open("data/shop/raised");
    browser.fill("#throughput input", "25000");
    browser.click("#throughput button", "Set throughput");
    browser.await("document.querySelector('.facts')?.innerText.includes('25 k RU/s')");
    open("partitions/shop/raised");
    browser.await("document.querySelectorAll('#partitions tbody tr').length === 3");
  }

  @Test
  void anIndexIsProposedAndMade() throws Exception {
    client
        .getDatabase("shop")
        .getCollection("orders")
        .find(Document.parse("{n: {$gt: 290}, note: 'x'}"))
        .first();
    open("operations");
    browser.click("button.shape-text", "find orders filter {n: {$gt: ?}");
    browser.click(".operation button", "Create the index");
    browser.awaitText("The index note_1_n_1 was created.");
    assertThat(client.getDatabase("shop").getCollection("orders").listIndexes())
        .anySatisfy(index -> assertThat(index.getString("name")).isEqualTo("note_1_n_1"));
  }

  @Test
  void everyPageFitsInLightAndDarkAndNarrow() throws Exception {
    for (String page : PAGES) {
      for (Look look : Look.values()) {
        browser.look(look.width, 900, look.scheme);
        open(page);
        browser.await("document.querySelector('main h1')");
        browser.await("!document.querySelector('main')?.innerText.includes('Loading …')");
        assertThat(browser.number("document.documentElement.scrollWidth"))
            .as("%s %s", page, look)
            .isLessThanOrEqualTo(look.width);
        browser.picture(PICTURES.resolve(look.fileName(page)), look.width);
      }
    }
    browser.look(1280, 900, "light");
  }

  /** How a page can be looked at. */
  private enum Look {
    LIGHT(1280, "light"),
    DARK(1280, "dark"),
    NARROW(390, "light");

    final int width;
    final String scheme;

    Look(int width, String scheme) {
      this.width = width;
      this.scheme = scheme;
    }

    String fileName(String page) {
      return page.replace("/shop/orders", "-collection")
          + "-"
          + name().toLowerCase(Locale.ROOT)
          + ".png";
    }
  }

  @Test
  void noPageIsClosedToAnybody() throws Exception {
    assumeTrue(Files.exists(AXE) || System.getenv("CI") != null);
    String axe = Files.readString(AXE);
    for (String scheme : List.of("light", "dark")) {
      browser.look(1280, 900, scheme);
      for (String page : PAGES) {
        open(page);
        browser.await("document.querySelector('main h1')");
        browser.await("!document.querySelector('main')?.innerText.includes('Loading …')");
        browser.run(axe);
        BsonValue found =
            browser.runLong(
                """
                const done = arguments[arguments.length - 1];
                axe.run().then(result => done(result.violations.map(v =>
                  v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(' | '))));
                """);
        assertThat(
                found.asArray().stream()
                    .map(each -> each.asString().getValue())
                    .collect(Collectors.joining("\n")))
            .as("%s %s", page, scheme)
            .isEmpty();
      }
    }
    browser.look(1280, 900, "light");
  }

  @Test
  void usersLogInByTheirPasswordAndOutAgain() throws Exception {
    try (TestServer guarded = TestServer.start("--console-port=0", "--auth")) {
      guarded.createRoot();
      browser.open(guarded.console() + "/#/overview");
      browser.fill("input[name=user]", "root");
      browser.fill("input[name=password]", "wrong");
      browser.click("button[type=submit]", "Log in");
      browser.awaitText("Authentication failed");
      browser.fill("input[name=password]", "secret");
      browser.click("button[type=submit]", "Log in");
      browser.awaitText("Request units per second");
      assertThat(browser.run("return document.cookie").asString().getValue()).isEmpty();
      browser.click("header button", "Log out");
      browser.await("document.querySelector('input[name=password]')");
    }
    // The refusals are what the browser has to tell of.
    assertThat(browser.complaints()).allMatch(each -> each.contains("401"));
  }
}
