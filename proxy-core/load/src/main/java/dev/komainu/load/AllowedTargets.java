package dev.komainu.load;

import dev.komainu.intermediary.access.AccessList;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The permitted targets of a load: loopback, and the targets that an administrator has listed,
 * because a load on the wrong machine is an attack.
 *
 * <pre>
 *   www.example.org:80   this name, on this port
 *   192.0.2.7            this address, on any port
 *   10.20.0.0/16:8080    these addresses, on this port
 * </pre>
 */
final class AllowedTargets {

    private static final Pattern ENTRY =
            Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\s]+)(?::([0-9]{1,5}))?");

    private record Entry(String name, int port) {

        boolean covers(String host, InetAddress address, int requestedPort) {
            if (port != 0 && port != requestedPort) {
                return false;
            }
            return name.equals(host) || (isAddress(name) && AccessList.of(name).permits(address));
        }
    }

    private final List<Entry> entries;

    private AllowedTargets(List<Entry> entries) {
        this.entries = entries;
    }

    /** Returns the permission for loopback only. */
    static AllowedTargets none() {
        return new AllowedTargets(List.of());
    }

    /**
     * Parses the lines of a file.
     *
     * @throws IllegalArgumentException with every invalid line
     */
    static AllowedTargets parse(List<String> lines) {
        List<Entry> entries = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).replaceFirst("#.*", "").trim();
            if (line.isEmpty()) {
                continue;
            }
            Matcher entry = ENTRY.matcher(line);
            int port = entry.matches() && entry.group(2) != null
                    ? Integer.parseInt(entry.group(2))
                    : 0;
            if (!entry.matches() || port > 65_535 || (entry.group(2) != null && port == 0)) {
                problems.add("--allow, line " + (i + 1) + ": " + line
                        + " (expected: NAME:PORT, ADDRESS, ADDRESS:PORT or NETWORK/LENGTH:PORT)");
                continue;
            }
            String name = entry.group(1).replaceAll("[\\[\\]]", "").toLowerCase(Locale.ROOT);
            if (name.contains("/") && !isAddress(name)) {
                problems.add("--allow, line " + (i + 1) + ": " + line
                        + " (expected: a network such as 10.20.0.0/16)");
                continue;
            }
            entries.add(new Entry(name, port));
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join(System.lineSeparator(), problems));
        }
        return new AllowedTargets(List.copyOf(entries));
    }

    /**
     * Reports whether a target is permitted.
     *
     * @param address the resolved address of {@code host}, which requests will use
     */
    boolean allows(String host, InetAddress address, int port) {
        if (address.isLoopbackAddress()) {
            return true;
        }
        String lower = host.toLowerCase(Locale.ROOT);
        return entries.stream().anyMatch(entry -> entry.covers(lower, address, port));
    }

    private static boolean isAddress(String text) {
        try {
            AccessList.of(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
