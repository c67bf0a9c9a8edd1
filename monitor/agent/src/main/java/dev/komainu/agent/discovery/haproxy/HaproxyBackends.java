package dev.komainu.agent.discovery.haproxy;

import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.discovery.haproxy.HaproxyFile.Line;
import dev.komainu.agent.discovery.haproxy.HaproxyFile.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The upstream servers of a frontend: those of its own section, of its default backend and of every
 * backend it may use.
 */
final class HaproxyBackends {

    private static final Pattern FAMILY = Pattern.compile("^(?:ipv4|ipv6|tcp4?|tcp6|quic4|quic6)@");
    private static final Pattern TEMPLATE_COUNT = Pattern.compile("\\d+(?:-\\d+)?");
    private static final int MAX_LIMITS = 8;

    private final List<Section> sections;
    private final int port;
    private final ConfigurationFindings findings;

    HaproxyBackends(List<Section> sections, int port, ConfigurationFindings findings) {
        this.sections = sections;
        this.port = port;
        this.findings = findings;
    }

    /**
     * Returns the backends, the default one first. A frontend that selects by an expression may use
     * any backend.
     */
    List<Section> of(Section frontend) {
        List<Section> found = new ArrayList<>();
        if (frontend.kind().equals("listen")) {
            found.add(frontend);
        }
        List<Line> lines = new ArrayList<>(frontend.named("default_backend"));
        Section defaults = frontend.defaults();
        if (lines.isEmpty() && defaults != null) {
            lines.addAll(defaults.named("default_backend"));
        }
        lines.addAll(frontend.named("use_backend"));
        for (Line line : lines) {
            boolean any = line.word(1).contains("%[");
            for (Section section : sections) {
                boolean backend =
                        section.kind().equals("backend") || section.kind().equals("listen");
                if (backend
                        && (any || section.name().equals(line.word(1)))
                        && !found.contains(section)) {
                    found.add(section);
                }
            }
        }
        return found;
    }

    void read(List<Section> backends) {
        List<String> limits = new ArrayList<>();
        String source = "";
        for (Section backend : backends) {
            String defaultLimit = "";
            for (Line line : defaultServers(backend)) {
                String limit = line.valueAfter("maxconn");
                defaultLimit = limit == null ? defaultLimit : limit;
            }
            for (Line line : backend.lines()) {
                boolean template = line.word(0).equals("server-template");
                if ((!template && !line.word(0).equals("server"))
                        || line.words().contains("disabled")) {
                    continue;
                }
                int index = template && TEMPLATE_COUNT.matcher(line.word(2)).matches() ? 3 : 2;
                findings.upstream(upstream(line.word(index), line.source()));
                String own = line.valueAfter("maxconn");
                String limit = own == null ? defaultLimit : own;
                if (!limit.isEmpty() && limits.size() < MAX_LIMITS) {
                    limits.add(limit);
                    source = source.isEmpty() ? line.source() : source;
                }
            }
        }
        if (!limits.isEmpty()) {
            findings.putDerived("server maxconn", String.join(", ", limits), source);
        }
    }

    private static List<Line> defaultServers(Section backend) {
        List<Line> lines = new ArrayList<>();
        Section defaults = backend.defaults();
        if (defaults != null) {
            lines.addAll(defaults.named("default-server"));
        }
        lines.addAll(backend.named("default-server"));
        return lines;
    }

    /**
     * Without a port, the port of the client's connection applies; {@code +N} and {@code -N} are
     * relative to it.
     */
    private @org.jspecify.annotations.Nullable Upstream upstream(String written, String source) {
        String address = FAMILY.matcher(written).replaceFirst("");
        if (address.startsWith("/") || address.startsWith("unix@")) {
            return Upstream.parse("unix:" + address.replaceFirst("^unix@", ""), 0, source);
        }
        int colon = address.lastIndexOf(':');
        if (colon > 0 && address.substring(colon + 1).matches("[+-]\\d{1,5}")) {
            address = address.substring(0, colon + 1)
                    + (port + Integer.parseInt(address.substring(colon + 1)));
        } else if (address.indexOf(':') >= 0
                && address.indexOf(':') != colon
                && !address.startsWith("[")) {
            // An IPv6 address without brackets: the last colon separates the port.
            address = "[" + address.substring(0, colon) + "]" + address.substring(colon);
        }
        return Upstream.parse(address, port, source);
    }
}
