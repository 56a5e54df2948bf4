package dev.orrery.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.auth.ScramConversation.ScramException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScramTest {
  private static final byte[] SECRET = new byte[32];

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** The example of RFC 7677. */
  @Test
  void theExampleOfTheStandardComesOut() throws ScramException {
    byte[] salt = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
    ScramMechanism mechanism = ScramMechanism.SHA_256;
    byte[] salted = mechanism.saltedPassword(bytes("pencil"), salt, 4096);
    var credential =
        new ScramCredential(
            mechanism,
            4096,
            salt,
            mechanism.hash(mechanism.hmac(salted, bytes("Client Key"))),
            mechanism.hmac(salted, bytes("Server Key")));
    var conversation =
        ScramConversation.start(
            "admin",
            bytes("n,,n=user,r=rOprNGfwEbeRWgbNEkqO"),
            "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0",
            name -> credential);
    assertThat(text(conversation.serverFirst()))
        .isEqualTo(
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                + "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
    byte[] last =
        conversation.finish(
            bytes(
                "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                    + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="));
    assertThat(text(last)).isEqualTo("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "n",
        "n,,",
        "n,,n=user",
        "p=tls-unique,,n=user,r=x",
        "n,a=admin,n=user,r=x",
        "n,,n=us=er,r=x",
        "n,,n=user,r=",
        "n,,r=x,n=user"
      })
  void whatIsNoFirstMessageFails(String message) {
    assertThatThrownBy(
            () ->
                ScramConversation.start(
                    "admin",
                    bytes(message),
                    "nonce",
                    name -> ScramCredential.fake(ScramMechanism.SHA_1, name, SECRET)))
        .isInstanceOf(ScramException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",p=",
        "c=biws,r=xnonce",
        "c=biws,r=other,p=AAAA",
        "c=bi,r=xnonce,p=AAAA",
        "c=biws,r=xnonce,p=AAAA",
        "c=biws,r=xnonce,p=*",
        "c=biws,r=xnonce,p=AAAAAAAAAAAAAAAAAAAAAAAAAAA="
      })
  void whatIsNoProofFails(String message) throws ScramException {
    var conversation =
        ScramConversation.start(
            "admin",
            bytes("n,,n=user,r=x"),
            "nonce",
            name -> ScramCredential.fake(ScramMechanism.SHA_1, name, SECRET));
    assertThatThrownBy(() -> conversation.finish(bytes(message)))
        .isInstanceOf(ScramException.class);
  }

  @Test
  void anUnknownUserAlwaysHasTheSameSaltOfTheUsualLength() {
    var ann = new UserName("ann", "shop");
    for (ScramMechanism mechanism : ScramMechanism.values()) {
      var real = ScramCredential.derive(mechanism, "ann", "a", new SecureRandom());
      var fake = ScramCredential.fake(mechanism, ann, SECRET);
      assertThat(fake.salt())
          .isEqualTo(ScramCredential.fake(mechanism, ann, SECRET).salt())
          .hasSameSizeAs(real.salt())
          .isNotEqualTo(
              ScramCredential.fake(mechanism, new UserName("bob", "shop"), SECRET).salt());
      assertThat(fake.iterations()).isEqualTo(real.iterations());
    }
  }

  @Test
  void failuresAreToldLaterAndLater() {
    assertThat(LoginGuard.delayMillis(1)).isEqualTo(50);
    assertThat(LoginGuard.delayMillis(2)).isEqualTo(100);
    assertThat(LoginGuard.delayMillis(5)).isEqualTo(800);
    assertThat(LoginGuard.delayMillis(6)).isEqualTo(1000);
    assertThat(LoginGuard.delayMillis(Integer.MAX_VALUE)).isEqualTo(1000);
  }
}
