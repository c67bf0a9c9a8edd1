package dev.komainu.agent.discovery.apache;

import dev.komainu.agent.discovery.apache.ApacheTree.Directive;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.Upstream;
import java.util.Locale;

/** The servers a scope passes requests on to (mod_proxy, mod_proxy_balancer, mod_rewrite). */
final class ApacheUpstreams {

    private final ConfigurationFindings findings;

    ApacheUpstreams(ConfigurationFindings findings) {
        this.findings = findings;
    }

    /** Everything in this scope; virtual hosts within it are not entered. */
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
                    // A server of its own.
                }
                default -> read(line);
            }
        }
    }

    /**
     * {@code http://app:8080/}, {@code unix:/run/app.sock|fcgi://x/}; groups are named by their
     * members.
     */
    private void url(String word, Directive line) {
        String place = word.startsWith("unix:") && word.indexOf('|') > 0
                ? word.substring(0, word.indexOf('|'))
                : word;
        boolean plain = place.startsWith("unix:")
                || place.contains("://") && !place.startsWith("balancer:");
        if (plain) {
            findings.upstream(Upstream.parse(place, 80, line.source()));
        }
    }

    private static boolean isProxy(String flags) {
        String list = flags.replaceAll("[\\[\\]\\s]", "").toUpperCase(Locale.ROOT);
        return ("," + list + ",").contains(",P,") || ("," + list + ",").contains(",PROXY,");
    }
}
