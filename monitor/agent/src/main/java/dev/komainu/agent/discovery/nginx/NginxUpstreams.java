package dev.komainu.agent.discovery.nginx;

import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.discovery.nginx.NginxTree.Directive;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The servers a server block passes requests on to, directly or through an {@code upstream} block.
 */
final class NginxUpstreams {

    private static final Set<String> PASSES = Set.of(
            "proxy_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass");
    private static final Pattern AUTHORITY = Pattern.compile("(?:([a-z]+)://)?([^/?#\\s]+).*");

    private final List<Directive> groups;
    private final ConfigurationFindings findings;
    private boolean passes;

    /** @param protocol the {@code http} or {@code stream} block */
    NginxUpstreams(Directive protocol, ConfigurationFindings findings) {
        this.groups = protocol.named("upstream");
        this.findings = findings;
    }

    /** @return whether anything is passed on from here */
    boolean read(Directive server) {
        for (Directive child : server.children()) {
            if (PASSES.contains(child.name())) {
                passes = true;
                pass(child);
            }
            read(child);
        }
        return passes;
    }

    private void pass(Directive pass) {
        Matcher matcher = AUTHORITY.matcher(pass.argument());
        if (!matcher.matches() || pass.argument().indexOf('$') >= 0) {
            return;
        }
        String scheme = matcher.group(1);
        String name = matcher.group(2);
        for (Directive group : groups) {
            if (group.argument().equals(name)) {
                group(group, "https".equals(scheme) || "grpcs".equals(scheme) ? 443 : 80);
                return;
            }
        }
        findings.upstream(Upstream.parse(pass.argument(), 80, pass.source()));
    }

    private void group(Directive group, int usualPort) {
        for (Directive member : group.children()) {
            switch (member.name()) {
                case "server" -> {
                    if (!member.words().contains("down")) {
                        // Inside a group a server without a port is met at 80, whatever the scheme
                        // (ngx_http_upstream).
                        findings.upstream(Upstream.parse(member.argument(), 80, member.source()));
                    }
                }
                case "keepalive" ->
                    findings.tell("upstream:keepalive", member.value(), member.source());
                case "keepalive_requests" ->
                    findings.tell("upstream:keepalive_requests", member.value(), member.source());
                case "keepalive_timeout" ->
                    findings.tell("upstream:keepalive_timeout", member.value(), member.source());
                default -> {
                    // Balancing methods and zones say nothing about limits.
                }
            }
        }
    }
}
