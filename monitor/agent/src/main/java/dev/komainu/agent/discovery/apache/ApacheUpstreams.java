package dev.komainu.agent.discovery.apache;

import dev.komainu.agent.discovery.apache.ApacheTree.Directive;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.Upstream;
import java.util.Locale;

/** The upstream servers of a scope (mod_proxy, mod_proxy_balancer, mod_rewrite). */
final class ApacheUpstreams {

    private final ConfigurationFindings findings;

    ApacheUpstreams(ConfigurationFindings findings) {
        this.findings = findings;
    }

    /** Reads the upstreams of this scope, without the virtual hosts inside it. */
    void read(Directive scope) {
        for (Directive line : scope.children()) {
            switch (line.name()) {
                case "proxypass", "proxypassmatch", "balancermember" ->
                    line.arguments().stream().limit(2).forEach(word -> url(word, line));
                case "rewriterule" -> {
                    if (isProxy(line.argument(2))) {
                        url(line.argument(1), line);
                    }
                }
                case "sethandler" -> {
                    if (line.argument(0).startsWith("proxy:")) {
                        url(line.argument(0).substring(6), line);
                    }
                }
                case "virtualhost" -> {
                    // A virtual host is a separate server.
                }
                default -> read(line);
            }
        }
    }

    /**
     * Adds {@code http://app:8080/} or {@code unix:/run/app.sock|fcgi://x/}. A balancer group is
     * skipped; its members are read.
     */
    private void url(String word, Directive line) {
        String place = word.startsWith("unix:") && word.indexOf('|') > 0
                ? word.substring(0, word.indexOf('|'))
                : word;
        boolean plain = place.startsWith("unix:")
                || (place.contains("://") && !place.startsWith("balancer:"));
        if (plain) {
            findings.upstream(Upstream.parse(place, 80, line.source()));
        }
    }

    private static boolean isProxy(String flags) {
        String list = flags.replaceAll("[\\[\\]\\s]", "").toUpperCase(Locale.ROOT);
        return ("," + list + ",").contains(",P,") || ("," + list + ",").contains(",PROXY,");
    }
}
