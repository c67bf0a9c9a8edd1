package dev.komainu.agent.discovery.tomcat;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.program.ServerProcess;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values of {@code ${name}} and {@code ${name:-otherwise}} in {@code server.xml}:
 * {@code conf/catalina.properties} first, then {@code -D} arguments. A name that suggests a secret
 * has no value.
 */
final class CatalinaProperties {

    private static final Pattern PLACEHOLDER =
            Pattern.compile("\\$\\{([A-Za-z0-9_.-]{1,100})(?::-([^}]*))?}");
    private static final Pattern SECRET =
            Pattern.compile("pass|secret|token|credential|private|apikey|\\.key");

    private final Map<String, String> values = new HashMap<>();

    static CatalinaProperties of(ServerProcess process, ConfigurationFiles files, String base) {
        CatalinaProperties properties = new CatalinaProperties();
        for (String argument : process.arguments()) {
            int equals = argument.indexOf('=');
            if (argument.startsWith("-D") && equals > 2) {
                properties.put(argument.substring(2, equals), argument.substring(equals + 1));
            }
        }
        // Tomcat sets every property of this file at its start and overrides the command line
        // (CatalinaProperties).
        String path = base + "/conf/catalina.properties";
        List<String> lines = files.exists(path) ? files.lines(path) : null;
        if (lines != null) {
            for (String line : lines) {
                int equals = line.indexOf('=');
                if (equals > 0 && !line.stripLeading().startsWith("#")) {
                    properties.put(
                            line.substring(0, equals).strip(),
                            line.substring(equals + 1).strip());
                }
            }
        }
        return properties;
    }

    private void put(String name, String value) {
        if (!SECRET.matcher(name.toLowerCase(Locale.ROOT)).find()) {
            values.put(name, value);
        }
    }

    /** Replaces placeholders; one without a value stays as it is written. */
    String resolve(String text) {
        if (text.indexOf("${") < 0) {
            return text;
        }
        Matcher matcher = PLACEHOLDER.matcher(text);
        return matcher.replaceAll(match -> {
            String value = values.get(match.group(1));
            String fallback = match.group(2);
            return Matcher.quoteReplacement(
                    value != null ? value : fallback != null ? fallback : match.group());
        });
    }
}
