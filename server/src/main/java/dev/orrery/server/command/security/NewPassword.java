package dev.orrery.server.command.security;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.ScramMechanism;
import dev.orrery.server.auth.Security;
import dev.orrery.server.auth.User;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.CommandReader;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The password that createUser and updateUser set, and for which mechanisms.
 *
 * @param text null when none is set
 */
record NewPassword(String text, List<ScramMechanism> mechanisms) {
  static NewPassword parse(CommandReader body, List<ScramMechanism> usual) {
    String text = body.string("pwd");
    boolean digests = body.bool("digestPassword", true);
    List<ScramMechanism> mechanisms =
        body.has("mechanisms") ? mechanisms(body.array("mechanisms")) : usual;
    if (!digests) {
      // A password that the client digested fits SCRAM-SHA-1 only, and no driver does it now.
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Use of SCRAM-SHA-256 requires undigested passwords; digestPassword: false is not"
              + " supported");
    }
    if (text != null && text.isEmpty()) {
      throw new CommandException(ErrorCode.BAD_VALUE, "Password cannot be empty");
    }
    return new NewPassword(text, mechanisms);
  }

  private static List<ScramMechanism> mechanisms(List<RawValue> values) {
    var mechanisms = new ArrayList<ScramMechanism>();
    for (RawValue value : values) {
      String name = value.type() == RawTypes.STRING ? value.asString() : "";
      ScramMechanism mechanism = ScramMechanism.find(name);
      if (mechanism == null) {
        throw new CommandException(ErrorCode.BAD_VALUE, "Unknown auth mechanism '" + name + "'");
      }
      mechanisms.add(mechanism);
    }
    if (mechanisms.isEmpty()) {
      throw new CommandException(ErrorCode.BAD_VALUE, "mechanisms field must not be empty");
    }
    return mechanisms;
  }

  CompletionStage<User.Credentials> derive(Security security, UserName user) {
    return security.derive(user.user(), text, mechanisms);
  }
}
