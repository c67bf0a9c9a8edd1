package dev.komainu.agent.discovery.nginx;

import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.discovery.nginx.NginxTree.Directive;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The upstream servers of a server block, named directly or through an {@code upstream} block. */
final class NginxUpstreams {

    private static final Set<String> PASSES = Set.of(
            "proxy_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass");
    private static final Pattern AUTHORITY = Pattern.compile("(?:([a-z]+)://)?([^/?#\\s]+).*");

    private final List<Directive> groups;
    private final ConfigurationFindings findings;
    private boolean passes;

    /**
     * Creates a reader of one protocol block.
     *
     * @param protocol the {@code http} or {@code stream} block
     */
    NginxUpstreams(Directive protocol, ConfigurationFindings findings) {
        this.groups = protocol.named("upstream");
        this.findings = findings;
    }

    /**
     * Reads the upstreams of a block and of its children.
     *
     * @return whether any block read so far passes requests on
     */
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
        String name = matcher.group(2);
        for (Directive group : groups) {
            if (group.argument().equals(name)) {
                group(group);
                return;
            }
        }
        findings.upstream(Upstream.parse(pass.argument(), 80, pass.source()));
    }

    private void group(Directive group) {
        for (Directive member : group.children()) {
            switch (member.name()) {
                case "server" -> {
                    if (!member.words().contains("down")) {
                        // In a group, a server without a port is reached at port 80, for every
                        // scheme (ngx_http_upstream).
                        findings.upstream(Upstream.parse(member.argument(), 80, member.source()));
                    }
                }
                case "keepalive" ->
                    findings.putDerived("upstream:keepalive", member.value(), member.source());
                case "keepalive_requests" ->
                    findings.putDerived(
                            "upstream:keepalive_requests", member.value(), member.source());
                case "keepalive_timeout" ->
                    findings.putDerived(
                            "upstream:keepalive_timeout", member.value(), member.source());
                default -> {
                    // Balancing methods and zones set no limits.
                }
            }
        }
    }
}
