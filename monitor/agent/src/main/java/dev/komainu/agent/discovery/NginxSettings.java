package dev.komainu.agent.discovery;

import dev.komainu.agent.discovery.NginxFile.Statement;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What tuning needs of an nginx configuration: the values at main, events and http level, then those of the server block
 * that listens on the port. Only the names below are ever reported.
 */
final class NginxSettings {

    /** Name and compiled-in default (nginx.org, core and http modules); in the order they are reported. */
    private static final Map<String, String> DEFAULTS = new LinkedHashMap<>();

    static {
        DEFAULTS.put("worker_processes", "1");
        DEFAULTS.put("worker_connections", "512");
        DEFAULTS.put("worker_rlimit_nofile", "");
        DEFAULTS.put("multi_accept", "off");
        DEFAULTS.put("accept_mutex", "off");
        DEFAULTS.put("keepalive_timeout", "75s");
        DEFAULTS.put("keepalive_requests", "1000");
        DEFAULTS.put("client_header_timeout", "60s");
        DEFAULTS.put("client_body_timeout", "60s");
        DEFAULTS.put("send_timeout", "60s");
        DEFAULTS.put("reset_timedout_connection", "off");
        DEFAULTS.put("sendfile", "off");
    }

    private static final Setting DEFAULT_BACKLOG = new Setting("backlog", "511", "default");
    private static final Set<String> BLOCKS = Set.of("main", "events", "http", "server");
    private static final int MAX_VALUE = 64;

    private final SettingsSource files;
    private final String directory;
    private final int port;
    private final Map<String, Setting> found = new LinkedHashMap<>();
    private final Deque<String> blocks = new ArrayDeque<>(List.of("main"));
    private final Map<String, Setting> ofServer = new LinkedHashMap<>();
    private boolean serverListens;
    private boolean serverNamesPort;
    private @Nullable Setting backlog;

    private NginxSettings(SettingsSource files, String configuration, int port) {
        this.files = files;
        this.directory = configuration.substring(0, Math.max(0, configuration.lastIndexOf('/')));
        this.port = port;
    }

    /** @param configuration absolute path of its main file */
    static List<Setting> read(SettingsSource files, String configuration, int port) {
        NginxSettings reader = new NginxSettings(files, configuration, port);
        reader.file(configuration, 0);
        return reader.effective();
    }

    private List<Setting> effective() {
        List<Setting> settings = new ArrayList<>();
        DEFAULTS.forEach((name, value) -> {
            Setting setting = found.get(name);
            if (setting != null) {
                settings.add(setting);
            } else if (!value.isEmpty()) {
                settings.add(new Setting(name, value, "default"));
            }
        });
        settings.add(backlog == null ? DEFAULT_BACKLOG : backlog);
        return settings;
    }

    private void file(String path, int depth) {
        List<String> lines = depth > 10 ? null : files.lines(path);
        if (lines == null) {
            return;
        }
        for (Statement statement : NginxFile.statements(lines)) {
            switch (statement.end()) {
                case '{' -> open(statement.name());
                case '}' -> close();
                default -> directive(statement, path, depth);
            }
        }
    }

    private void open(String block) {
        blocks.push(block);
        if (isServerLevel()) {
            ofServer.clear();
            serverListens = false;
            serverNamesPort = false;
        }
    }

    private void close() {
        if (isServerLevel() && (serverListens || !serverNamesPort && port == 80)) {
            found.putAll(ofServer);
        }
        if (blocks.size() > 1) {
            blocks.pop();
        }
    }

    /** Directly in a server block of http, not in a location or an upstream. */
    private boolean isServerLevel() {
        return blocks.size() == 3 && "server".equals(blocks.peek());
    }

    private void directive(Statement statement, String path, int depth) {
        String name = statement.name();
        String source = path + ":" + statement.line();
        if (name.equals("include") && statement.words().size() == 2) {
            String pattern = statement.words().get(1);
            for (String file : files.matching(pattern.startsWith("/") ? pattern : directory + "/" + pattern)) {
                file(file, depth + 1);
            }
        } else if (name.equals("listen") && isServerLevel() && statement.words().size() > 1) {
            listen(statement.words(), source);
        } else if (DEFAULTS.containsKey(name) && blocks.stream().allMatch(BLOCKS::contains)) {
            Setting setting = new Setting(name, cut(statement.value()), source);
            (isServerLevel() ? ofServer : found).put(name, setting);
        }
    }

    private void listen(List<String> words, String source) {
        serverNamesPort = true;
        String where = words.get(1);
        String number = where.substring(where.lastIndexOf(':') + 1);
        int listening = number.matches("[0-9]{1,5}") ? Integer.parseInt(number) : 80;
        if (listening != port) {
            return;
        }
        serverListens = true;
        for (String word : words) {
            if (word.startsWith("backlog=")) {
                backlog = new Setting("backlog", cut(word.substring(8)), source);
            }
        }
    }

    private static String cut(String value) {
        return value.length() <= MAX_VALUE ? value : value.substring(0, MAX_VALUE);
    }
}
