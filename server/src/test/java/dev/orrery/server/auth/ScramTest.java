package dev.orrery.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.auth.ScramConversation.ScramException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
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
        "n,,n=user,r=,x=y",
        "n,,n=user,r= x",
        "n,,n=user,r=\u00e4",
        "n,,n=user,r=x\u0000",
        "n,,n=user,r=x,m=must",
        "n,,m=must,n=user,r=x",
        "n,,n=user,r=x,y=z,m=must",
        "n,,n=user,r=x,",
        "n,,n=user,r=x,nonsense",
        "n,,n=user,r=x,9=z",
        "n,,n=user,r=x,r=y",
        "n,,n=user,r=x,r=x",
        "n,,n=user,r=x,n=user",
        "n,,n=user,r=x,a=user",
        "n,,n=user,r=x,c=biws",
        "n,,n=user,r=x,s=AAAA",
        "n,,n=user,r=x,i=4096",
        "n,,n=user,r=x,p=AAAA",
        "n,,n=user,r=x,v=AAAA",
        "n,,n=user,r=x,e=other-error",
        "n,,n=user,r=x,z=1,r=y",
        "n,,n=user,z=1,r=x",
        "n,,z=1,n=user,r=x",
        "n,,n=user,n=user,r=x",
        "n,,a=user,n=user,r=x",
        "n,,n=user,r=x,z=",
        "n,,n=user,r=x,=z",
        "n,,n=user,r=x,,z=1",
        "n,,n=user,r=x,zz=1",
        "n,,n=user,r=x,\u212a=1", // the Kelvin sign, which is a k in small
        "n,,n=user,r=x,\u0130=1",
        "n,,n=user,r=x,\u00e4=1",
        "n,a=,n=user,r=x",
        "n,a=user,a=user,n=user,r=x",
        "n,n=user,r=x",
        "y,,,n=user,r=x",
        "n=,,n=user,r=x",
        "n,,n=,r=x",
        "n,,n=user=2c,r=x",
        "n,,n=user=2,r=x",
        "n,,n=user=,r=x",
        "n,,n=u=3=2CD,r=x",
        "n,,n=us\u0000er,r=x",
        "n,user,n=user,r=x",
        "n,a=us=er,n=us=3Der,r=x",
        "q,,n=user,r=x",
        "N,,n=user,r=x",
        ",,n=user,r=x",
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

  @Test
  void aMessageThatIsNoTextFails() {
    byte[] payload = bytes("n,,n=user,r=x");
    payload[6] = (byte) 0xff;
    assertThatThrownBy(() -> start(payload)).isInstanceOf(ScramException.class);
  }

  private static ScramConversation start(byte[] payload) throws ScramException {
    return ScramConversation.start(
        "admin",
        payload,
        "nonce",
        name -> ScramCredential.fake(ScramMechanism.SHA_1, name, SECRET));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "n,,n=a=2Cb,r=x a,b",
        "n,,n=a=3D2C,r=x a=2C",
        "y,,n=a,r=x,z=ignored a",
        "n,a=a,n=a,r=x a",
        "n,a=a=2Cb,n=a=2Cb,r=x a,b",
        "n,,n=\u00e4\u20ac,r=!+-~ \u00e4\u20ac"
      })
  void namesAreTakenOutOfTheirEscapes(String message, String user) throws ScramException {
    assertThat(start(bytes(message)).user()).isEqualTo(new UserName(user, "admin"));
  }

  @ParameterizedTest
  @EnumSource(ScramMechanism.class)
  void theProofOfTheRightPasswordIsRefusedInAMessageThatIsWrong(ScramMechanism mechanism)
      throws ScramException {
    var credential = ScramCredential.derive(mechanism, "ann", "secret", new SecureRandom());
    for (String form :
        List.of(
            "c=%s,r=xnonce,m=must",
            "c=%s,r=xnonce,x",
            "r=xnonce,c=%s",
            "c=%s,z=1,r=xnonce",
            "z=1,c=%s,r=xnonce",
            "c=%1$s,c=%1$s,r=xnonce",
            "c=%1$s,r=xnonce,c=%1$s",
            "c=%s,r=xnonce,r=xnonce",
            "c=%s,r=xnonce,z=1,r=other",
            "c=%s,r=xnonce,p=AAAA",
            "c=%s,r=xnonce,n=ann",
            "c=%s,r=xnonce,a=ann",
            "c=%s,r=xnonce,s=AAAA",
            "c=%s,r=xnonce,i=4096",
            "c=%s,r=xnonce,v=AAAA",
            "c=%s,r=xnonce,e=other-error",
            "c=%s,r=xnonce,z=",
            "c=%s,r=xnonce,,z=1",
            "c=%s,r=xnonce,\u212a=1",
            "C=%s,r=xnonce",
            "c=%s,R=xnonce")) {
      assertThatThrownBy(() -> finish(credential, "n,,", form))
          .as(form)
          .isInstanceOf(ScramException.class);
    }
    for (String header : List.of("n,,", "y,,", "n,a=ann,")) {
      assertThat(text(finish(credential, header, "c=%s,r=xnonce,z=1"))).startsWith("v=");
      assertThat(text(finish(credential, header, "c=%s,r=xnonce,R=1,z=="))).startsWith("v=");
      assertThat(text(finish(credential, header, "c=%s,r=xnonce"))).startsWith("v=");
    }
  }

  /** Proves the password {@code secret} in a last message of that form. */
  private static byte[] finish(ScramCredential credential, String header, String form)
      throws ScramException {
    ScramMechanism mechanism = credential.mechanism();
    String bare = "n=ann,r=x";
    var scram = ScramConversation.start("admin", bytes(header + bare), "nonce", name -> credential);
    String last = form.formatted(Base64.getEncoder().encodeToString(bytes(header)));
    byte[] signed = bytes(bare + "," + text(scram.serverFirst()) + "," + last);
    byte[] salted =
        mechanism.saltedPassword(
            bytes(mechanism.prepare("ann", "secret")), credential.salt(), credential.iterations());
    byte[] proof = mechanism.hmac(salted, bytes("Client Key"));
    byte[] signature = mechanism.hmac(mechanism.hash(proof), signed);
    for (int i = 0; i < proof.length; i++) {
      proof[i] ^= signature[i];
    }
    return scram.finish(bytes(last + ",p=" + Base64.getEncoder().encodeToString(proof)));
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
        "c=biws,r=xnonce,p=",
        "c=biws,r=xnonce,m=must,p=AAAA",
        "c=biws,r=xnonce,p=AAAA,z=1",
        "c=biws,r=,p=AAAA",
        "c=,r=xnonce,p=AAAA",
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

  /** A real user has two salts that have nothing to do with each other. */
  @Test
  void theSaltsOfAnUnknownUserShareNoPart() {
    for (int i = 0; i < 100; i++) {
      var name = new UserName("user" + i, "shop");
      String first = hex(ScramCredential.fake(ScramMechanism.SHA_1, name, SECRET).salt());
      String second = hex(ScramCredential.fake(ScramMechanism.SHA_256, name, SECRET).salt());
      for (int from = 0; from + 8 <= first.length(); from += 2) {
        assertThat(second).doesNotContain(first.substring(from, from + 8));
      }
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
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
