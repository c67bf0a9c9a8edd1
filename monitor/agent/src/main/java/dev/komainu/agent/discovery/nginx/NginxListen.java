package dev.komainu.agent.discovery.nginx;

import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.Knob;
import dev.komainu.agent.discovery.nginx.NginxTree.Directive;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The {@code listen} lines of one port, and the server blocks that contain them. */
final class NginxListen {

    /** The options of a {@code listen} line. On Linux nginx requests a backlog of 511. */
    static final List<Knob> KNOBS = List.of(
            Knob.of("backlog", "511"),
            Knob.of("reuseport", "off"),
            Knob.of("deferred", "off"),
            Knob.of("fastopen", ""),
            Knob.of("so_keepalive", ""),
            Knob.of("rcvbuf", ""),
            Knob.of("sndbuf", ""),
            Knob.of("ssl", "off"));

    private static final Pattern PORT = Pattern.compile("(?:.*:)?(\\d{1,5})(?:-(\\d{1,5}))?");
    private static final int DEFAULT_PORT = 80;

    private final int port;

    NginxListen(int port) {
        this.port = port;
    }

    /** Returns the server blocks that listen on this port, the default one first. */
    List<Directive> servers(Directive protocol) {
        List<Directive> servers = new ArrayList<>();
        for (Directive server : protocol.named("server")) {
            List<Directive> listens = server.named("listen");
            boolean listensHere = (listens.isEmpty() && port == DEFAULT_PORT)
                    || listens.stream().anyMatch(this::isHere);
            boolean byDefault = listens.stream()
                    .filter(this::isHere)
                    .anyMatch(listen -> listen.words().contains("default_server")
                            || listen.words().contains("default"));
            if (listensHere && byDefault) {
                servers.addFirst(server);
            } else if (listensHere) {
                servers.add(server);
            }
        }
        return servers;
    }

    private boolean isHere(Directive listen) {
        String where = listen.argument();
        if (where.startsWith("unix:")) {
            return false;
        }
        Matcher matcher = PORT.matcher(where);
        // An address alone, such as 10.0.0.1, [::1] or localhost, means port 80.
        boolean addressOnly =
                !matcher.matches() || where.matches("\\d+(?:\\.\\d+){3}") || where.endsWith("]");
        if (addressOnly) {
            return port == DEFAULT_PORT;
        }
        int first = Integer.parseInt(matcher.group(1));
        String last = matcher.group(2);
        return port >= first && port <= (last == null ? first : Integer.parseInt(last));
    }

    /**
     * Reads the options of the port's lines. An option of one line applies to all (nginx: "listen …
     * options" are set once a socket).
     */
    void read(List<Directive> servers, ConfigurationFindings findings) {
        for (Directive server : servers) {
            for (Directive listen : server.named("listen")) {
                if (isHere(listen)) {
                    List<String> words = listen.words();
                    words.subList(Math.min(2, words.size()), words.size())
                            .forEach(word -> option(word, listen.source(), findings));
                }
            }
        }
    }

    private static void option(String word, String source, ConfigurationFindings findings) {
        int equals = word.indexOf('=');
        String name = equals < 0 ? word : word.substring(0, equals);
        String value = equals < 0 ? "on" : word.substring(equals + 1);
        if (name.equals("http2")) {
            findings.put("http2", "on", source);
        } else if (KNOBS.stream().anyMatch(knob -> knob.name().equals(name))) {
            findings.put(
                    name, name.equals("so_keepalive") ? value.replace(':', '/') : value, source);
        }
    }
}
