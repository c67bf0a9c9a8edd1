package dev.komainu.agent.discovery.apache;

import dev.komainu.agent.discovery.apache.ApacheTree.Directive;
import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Apache's access logs (mod_log_config): the CustomLog, TransferLog and GlobalLog lines of a
 * virtual host, else those of the main server. Without such a line there is no log.
 */
final class ApacheLogs {

    private static final String COMMON = "%h %l %u %t \"%r\" %>s %b";
    private static final Set<String> LINES = Set.of("customlog", "transferlog", "globallog");

    private final Map<String, String> formats = new HashMap<>(Map.of("CLF", COMMON));
    private final ApacheTree tree;
    private final String root;
    private final ConfigurationFindings findings;
    private String transferFormat = COMMON;

    ApacheLogs(ApacheTree tree, String root, ConfigurationFindings findings) {
        this.tree = tree;
        this.root = root;
        this.findings = findings;
    }

    /**
     * Reads the logs of one port.
     *
     * @param hosts the virtual hosts of the port, the default one first; empty when the main server
     *     responds
     */
    void read(List<Directive> hosts) {
        Directive main = tree.root();
        formats(main);
        if (hosts.isEmpty() || hosts.stream().anyMatch(host -> !logs(host))) {
            lines(main, LINES);
        } else {
            lines(main, Set.of("globallog"));
        }
        for (Directive host : hosts) {
            formats(host);
            lines(host, LINES);
        }
    }

    private static boolean logs(Directive host) {
        return host.children().stream().anyMatch(line -> LINES.contains(line.name()));
    }

    private void formats(Directive scope) {
        for (Directive line : scope.children()) {
            if (line.name().equals("logformat")) {
                String format = formats.getOrDefault(line.argument(0), line.argument(0));
                if (line.arguments().size() > 1) {
                    formats.put(line.argument(1), format);
                } else {
                    transferFormat = format;
                }
            }
        }
    }

    private void lines(Directive scope, Set<String> names) {
        for (Directive line : scope.children()) {
            if (names.contains(line.name()) && !line.arguments().isEmpty()) {
                String format = line.name().equals("transferlog")
                        ? transferFormat
                        : formats.getOrDefault(line.argument(1), line.argument(1));
                place(line, format);
            }
        }
    }

    private void place(Directive line, String format) {
        String path = line.argument(0);
        if (path.startsWith("|")) {
            findings.logsElsewhere("pipe", line.source());
        } else if (path.startsWith("syslog")) {
            findings.logsElsewhere("syslog", line.source());
        } else if (!path.equals("/dev/null")) {
            findings.accessLog(new AccessLogPlace(
                    tree.absolute(path),
                    format,
                    AccessLogPlace.Syntax.APACHE,
                    root,
                    line.source()));
        }
    }
}
