package dev.orrery.server.transfer.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.transfer.analysis.CollectionSettings;
import dev.orrery.value.Namespace;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NamespaceRulesTest {
  private static Namespace namespace(String database, String collection) {
    return new Namespace(database, collection);
  }

  @Test
  void patternsIncludeAndExclude() {
    var rules =
        new NamespaceRules(null, null)
            .including(List.of("shop.*", "*.log\\*"))
            .excluding(List.of("*.secret*"));
    assertThat(rules.accept(namespace("shop", "a.b"))).isTrue();
    assertThat(rules.accept(namespace("shop", "secrets"))).isFalse();
    assertThat(rules.accept(namespace("other", "log*"))).isTrue();
    assertThat(rules.accept(namespace("other", "logs"))).isFalse();
  }

  @Test
  void whatBelongsToTheServerStaysThere() {
    var rules = new NamespaceRules(null, null);
    for (String own : List.of("system.users", "system.views", "$admin.system.users")) {
      assertThat(rules.accept(namespace("admin", own))).isFalse();
    }
    assertThat(rules.accept(namespace("config", "transactions"))).isFalse();
    assertThat(rules.accept(namespace("", "oplog"))).isFalse();
    assertThat(rules.accept(namespace("shop", "system.js"))).isTrue();
  }

  @Test
  void databaseAndCollectionCanBeNamed() {
    var rules = new NamespaceRules("shop", "orders");
    assertThat(rules.accept(namespace("shop", "orders"))).isTrue();
    assertThat(rules.accept(namespace("shop", "others"))).isFalse();
    assertThat(rules.accept(namespace("other", "orders"))).isFalse();
  }

  @Test
  void collectionsAreRenamedByStarsAndVariables() throws TransferException {
    var rules =
        new NamespaceRules(null, null)
            .renaming(
                List.of("prod.*", "data.$customer$_$kind$"),
                List.of("test.*", "$customer$.$kind$"));
    assertThat(rules.target(namespace("prod", "a.b"))).isEqualTo(namespace("test", "a.b"));
    assertThat(rules.target(namespace("data", "acme_orders")))
        .isEqualTo(namespace("acme", "orders"));
    assertThat(rules.target(namespace("else", "a"))).isEqualTo(namespace("else", "a"));
  }

  @Test
  void renamingsThatMakeNoSenseAreRefused() {
    var rules = new NamespaceRules(null, null);
    assertThatThrownBy(() -> rules.renaming(List.of("a.*"), List.of()))
        .isInstanceOf(UsageException.class);
    assertThatThrownBy(() -> rules.renaming(List.of("a.b"), List.of("$x$.b")))
        .hasMessageContaining("variables");
    assertThatThrownBy(
            () ->
                new NamespaceRules(null, null)
                    .renaming(List.of("a.*"), List.of("*"))
                    .target(namespace("a", "b")))
        .isInstanceOf(TransferException.class);
  }

  @Test
  void settingsAreForAllCollectionsOrForOne() {
    var given =
        new CollectionSettings.Given(
            List.of("city", "shop.orders=customer.id"),
            List.of("a,b", "shop.orders=number"),
            List.of("shop.orders=4000"));
    CollectionSettings orders = given.of(namespace("shop", "orders"));
    assertThat(orders.shardKey()).isEqualTo("customer.id");
    assertThat(orders.throughput()).isEqualTo(4000);
    assertThat(orders.uniqueIndexes())
        .extracting(index -> index.getString("name").getValue())
        .containsExactly("a_1_b_1", "number_1");
    CollectionSettings others = given.of(namespace("shop", "others"));
    assertThat(others.shardKey()).isEqualTo("city");
    assertThat(others.throughput()).isNull();
    assertThat(given.candidates(namespace("shop", "orders")))
        .containsExactly("city", "customer.id");
  }
}
