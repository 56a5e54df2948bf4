package dev.orrery.server;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The text given for each key: by the command line, else by the environment, else by the properties
 * file, else the default. A key that nobody knows is an error, but for the environment, into which
 * others write too.
 */
final class ConfigSources {
  static final String CONFIG_FILE_VARIABLE = ConfigKey.ENVIRONMENT_PREFIX + "CONFIG";

  /** The others are for who starts us, and for the command that {@code orrery run} runs. */
  private static final Set<String> NO_SETTINGS =
      Set.of(CONFIG_FILE_VARIABLE, "ORRERY_JAR", "ORRERY_URI");

  private static final Pattern SERVICE = Pattern.compile("(tcp|udp|sctp)://.*");

  private final Map<ConfigKey, Setting> settings = new EnumMap<>(ConfigKey.class);

  /** A text and the name its giver knows it by, for messages. */
  record Setting(String name, String text) {}

  ConfigSources() {
    for (ConfigKey key : ConfigKey.values()) {
      settings.put(key, new Setting(key.key(), key.defaultValue()));
    }
  }

  Setting setting(ConfigKey key) {
    return settings.get(key);
  }

  /** Overrides what was there. */
  ConfigSources with(ConfigKey key, String name, String text) {
    settings.put(key, new Setting(name, text.strip()));
    return this;
  }

  ConfigSources withFile(Path file) {
    var properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new ConfigException("cannot read the configuration file " + file + ": " + e);
    }
    for (String name : properties.stringPropertyNames()) {
      ConfigKey key =
          ConfigKey.find(name)
              .orElseThrow(
                  () -> new ConfigException(unknown("key", name + " in " + file, keyNames())));
      with(key, name + " in " + file, properties.getProperty(name));
    }
    return this;
  }

  /** What of the environment is meant for nobody here is passed over; see {@link #strangers}. */
  ConfigSources withEnvironment(Map<String, String> environment) {
    for (ConfigKey key : ConfigKey.values()) {
      String name = key.environmentName();
      String text = environment.get(name);
      if (text != null && !isAddressOfService(name, text)) {
        with(key, name, text);
      }
    }
    return this;
  }

  /**
   * Variables that look as if they were for us, and are not. Kubernetes makes some for a service
   * that is called as we are, and one of them has the name of a key: {@code
   * ORRERY_PORT=tcp://10.0.0.1:27017}.
   */
  static List<String> strangers(Map<String, String> environment) {
    Set<String> known =
        Arrays.stream(ConfigKey.values())
            .map(ConfigKey::environmentName)
            .collect(Collectors.toSet());
    return environment.keySet().stream()
        .filter(name -> name.startsWith(ConfigKey.ENVIRONMENT_PREFIX))
        .filter(name -> !NO_SETTINGS.contains(name))
        .filter(name -> !known.contains(name) || isAddressOfService(name, environment.get(name)))
        .sorted()
        .toList();
  }

  private static boolean isAddressOfService(String name, String text) {
    return name.equals(ConfigKey.PORT.environmentName()) && SERVICE.matcher(text).matches();
  }

  /** Takes {@code name=value}, as it follows {@code --limit}. */
  ConfigSources withLimit(String assignment) {
    int equals = assignment.indexOf('=');
    String name = equals < 0 ? assignment : assignment.substring(0, equals);
    ConfigKey key =
        Arrays.stream(ConfigKey.values())
            .filter(each -> each.isLimit() && each.limitName().equals(name))
            .findFirst()
            .orElseThrow(() -> new ConfigException(unknown("limit", name, limitNames())));
    if (equals < 0) {
      throw new ConfigException("--limit " + name + " needs a value: " + name + "=<value>");
    }
    return with(key, "--limit " + name, assignment.substring(equals + 1));
  }

  static String limitNames() {
    return Arrays.stream(ConfigKey.values())
        .filter(ConfigKey::isLimit)
        .map(ConfigKey::limitName)
        .collect(Collectors.joining(", "));
  }

  private static String keyNames() {
    return Arrays.stream(ConfigKey.values()).map(ConfigKey::key).collect(Collectors.joining(", "));
  }

  private static String unknown(String what, String name, String allowed) {
    return "unknown " + what + " " + name + "; known are: " + allowed;
  }
}
