package dev.komainu.agent.settings;

import dev.komainu.agent.settings.OutsideSettings.GivenLog;
import dev.komainu.agent.settings.OutsideSettings.GivenProxy;
import dev.komainu.telemetry.record.Endpoint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the settings that come as lists of several values each. One of each; one thread. */
final class OutsideSettingsReader {

    /** Keys within the lists of the file, the place in the list left out. */
    static final Set<String> LISTED = Set.of(
            "access-logs[].service",
            "access-logs[].file",
            "access-logs[].format",
            "proxies[].client",
            "proxies[].origins");

    private final Map<String, Given> values;
    private final List<String> problems;

    OutsideSettingsReader(Map<String, Given> values, List<String> problems) {
        this.values = values;
        this.problems = problems;
    }

    /** A key with its place in the list left out, such as {@code proxies[].client}. */
    static String unplaced(String key) {
        return key.replaceAll("\\[\\d+]", "[]");
    }

    OutsideSettings read() {
        List<GivenProxy> proxies = new ArrayList<>(originSides());
        entries("proxies").forEach((place, entry) -> {
            Endpoint client = endpoint(place + ".client", entry.get("client"));
            List<Endpoint> origins = endpoints(place + ".origins", entry.get("origins"));
            if (client != null) {
                proxies.add(new GivenProxy(client, origins));
            }
        });
        return new OutsideSettings(readsLogs(), logs(), proxies);
    }

    private boolean readsLogs() {
        Given given = values.get("access-log");
        if (given != null && !given.text().equals("auto") && !given.text().equals("off")) {
            problems.add(given.problem("access-log", "auto or off"));
        }
        return given == null || !given.text().equals("off");
    }

    private List<GivenLog> logs() {
        List<GivenLog> logs = new ArrayList<>();
        entries("access-logs").forEach((place, entry) -> {
            Given service = needed(place + ".service", entry.get("service"), "a service's id or port");
            Given file = needed(place + ".file", entry.get("file"), "the log file");
            Given format = entry.get("format");
            if (service != null && file != null) {
                logs.add(new GivenLog(
                        service.text(), Path.of(file.text()), format == null ? "combined" : format.text()));
            }
        });
        return logs;
    }

    private @Nullable Given needed(String name, @Nullable Given given, String expected) {
        if (given == null || given.text().isBlank()) {
            problems.add(name + ": missing (expected: " + expected + ")");
            return null;
        }
        return given;
    }

    /** {@code PROXY} or {@code PROXY=ORIGIN}, each {@code ADDRESS:PORT}. */
    private List<GivenProxy> originSides() {
        Given given = values.get("origin-sides");
        Map<Endpoint, List<Endpoint>> byProxy = new LinkedHashMap<>();
        if (given == null) {
            return List.of();
        }
        for (String item : given.text().split("[,\\s]+")) {
            if (item.isEmpty()) {
                continue;
            }
            int equals = item.indexOf('=');
            Given part = new Given(item, given.place());
            Endpoint proxy =
                    endpoint("origin-sides", new Given(equals < 0 ? item : item.substring(0, equals), part.place()));
            Endpoint origin =
                    equals < 0 ? null : endpoint("origin-sides", new Given(item.substring(equals + 1), part.place()));
            if (proxy != null) {
                List<Endpoint> origins = byProxy.computeIfAbsent(proxy, key -> new ArrayList<>());
                if (origin != null) {
                    origins.add(origin);
                }
            }
        }
        List<GivenProxy> proxies = new ArrayList<>();
        byProxy.forEach((proxy, origins) -> proxies.add(new GivenProxy(proxy, origins)));
        return proxies;
    }

    private List<Endpoint> endpoints(String name, @Nullable Given given) {
        List<Endpoint> list = new ArrayList<>();
        if (given == null) {
            return list;
        }
        for (String item : given.text().split("[,\\s]+")) {
            Endpoint endpoint = item.isEmpty() ? null : endpoint(name, new Given(item, given.place()));
            if (endpoint != null) {
                list.add(endpoint);
            }
        }
        return list;
    }

    private @Nullable Endpoint endpoint(String name, @Nullable Given given) {
        String expected = "ADDRESS:PORT, IPv6 in brackets, no host names";
        if (given == null) {
            problems.add(name + ": missing (expected: " + expected + ")");
            return null;
        }
        try {
            return Endpoint.parse(given.text().strip());
        } catch (IllegalArgumentException e) {
            problems.add(given.problem(name, expected));
            return null;
        }
    }

    /** Entries of a list in its order: by place, then by the last part of the key. */
    private Map<String, Map<String, Given>> entries(String list) {
        Map<Integer, Map<String, Given>> found = new TreeMap<>();
        values.forEach((key, given) -> {
            if (key.startsWith(list + "[") && LISTED.contains(unplaced(key))) {
                int close = key.indexOf(']');
                found.computeIfAbsent(Integer.valueOf(key.substring(list.length() + 1, close)), at -> new TreeMap<>())
                        .put(key.substring(close + 2), given);
            }
        });
        Map<String, Map<String, Given>> named = new LinkedHashMap<>();
        found.forEach((at, entry) -> named.put(list + "[" + at + "]", entry));
        return named;
    }
}
