package dev.komainu.agent.discovery;

import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The attributes tuning needs of the Connector on one port, in Tomcat's {@code server.xml}. Read by pattern, not by an
 * XML parser: no entity is ever resolved, and key-store passwords in the same element stay where they are. Pure.
 */
final class TomcatSettings {

    private static final Pattern COMMENT = Pattern.compile("<!--.*?-->", Pattern.DOTALL);
    private static final Pattern CONNECTOR = Pattern.compile("<Connector\\s([^>]*)>");
    private static final Pattern ATTRIBUTE = Pattern.compile("([A-Za-z]+)\\s*=\\s*[\"']([^\"']*)[\"']");

    /** Name and default (tomcat.apache.org, HTTP connector). */
    private static final Map<String, String> DEFAULTS = new LinkedHashMap<>();

    static {
        DEFAULTS.put("maxThreads", "200");
        DEFAULTS.put("minSpareThreads", "10");
        DEFAULTS.put("maxConnections", "8192");
        DEFAULTS.put("acceptCount", "100");
        DEFAULTS.put("connectionTimeout", "60000");
        DEFAULTS.put("keepAliveTimeout", "60000");
        DEFAULTS.put("maxKeepAliveRequests", "100");
    }

    private TomcatSettings() {}

    static List<Setting> read(SettingsSource files, String path, int port) {
        List<String> lines = files.lines(path);
        if (lines == null) {
            return List.of();
        }
        String text = String.join("\n", lines);
        // Comments are blanked, so that line numbers stay.
        text = COMMENT.matcher(text).replaceAll(match -> match.group().replaceAll("[^\n]", " "));
        Matcher connector = CONNECTOR.matcher(text);
        while (connector.find()) {
            Map<String, String> given = new LinkedHashMap<>();
            Matcher attribute = ATTRIBUTE.matcher(connector.group(1));
            while (attribute.find()) {
                given.put(attribute.group(1), attribute.group(2));
            }
            if (String.valueOf(port).equals(given.get("port"))) {
                long line = text.substring(0, connector.start()).lines().count();
                return settings(given, path + ":" + Math.max(1, line));
            }
        }
        return List.of();
    }

    private static List<Setting> settings(Map<String, String> given, String source) {
        List<Setting> settings = new ArrayList<>();
        DEFAULTS.forEach((name, value) -> {
            String own = given.get(name);
            settings.add(own == null ? new Setting(name, value, "default") : new Setting(name, own, source));
        });
        return settings;
    }
}
