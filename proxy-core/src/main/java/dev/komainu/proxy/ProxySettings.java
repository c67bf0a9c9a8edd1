package dev.komainu.proxy;

import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.connection.ConnectionSettings;
import dev.komainu.proxy.deliver.DeliverSettings;
import dev.komainu.proxy.fetch.ForwardingSettings;
import dev.komainu.proxy.route.AccessList;
import dev.komainu.proxy.route.Cidr;
import dev.komainu.proxy.route.RouteTable;
import dev.komainu.proxy.upstream.Origin;
import dev.komainu.proxy.upstream.UpstreamSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can be set, checked. {@code docs/configuration/proxy.md} tells each key's unit, range, default and
 * effect.
 *
 * @param listen where clients come in
 * @param workers event loops, each with its own listening socket: 1 to 256 (one per processor)
 * @param routes reverse mode: who serves what; empty in forward mode
 * @param clients who may use the proxy
 * @param connectPorts forward mode: ports that CONNECT may reach (443)
 * @param dialExceptions forward mode: inner addresses that may be dialled all the same
 * @param purgers who may PURGE on the data port (loopback)
 * @param control where the control endpoint listens; absent: none
 * @param controlTokenFile file whose first line is the token for the control endpoint's writes; absent: no writes
 * @param exchangesPerSecond exchanges reported one by one, 0 to 100,000 (500); the rest is counted
 * @param centralUrl central service to report to; absent: none
 * @param centralTokenFile file whose first line is the ingest token
 * @param data where reports wait while the central service cannot be reached (data/proxy-PORT)
 * @param node this host's name in records
 */
public record ProxySettings(
        InetSocketAddress listen,
        int workers,
        List<RouteTable.Route> routes,
        AccessList clients,
        Set<Integer> connectPorts,
        AccessList dialExceptions,
        AccessList purgers,
        @Nullable InetSocketAddress control,
        @Nullable Path controlTokenFile,
        int exchangesPerSecond,
        @Nullable String centralUrl,
        @Nullable Path centralTokenFile,
        Path data,
        String node,
        CacheSettings cache,
        ConnectionSettings connections,
        DeliverSettings deliver,
        UpstreamSettings upstream,
        ForwardingSettings forwarding) {

    /** All mistakes of a configuration, told together. */
    public static final class Problems extends Exception {
        private static final long serialVersionUID = 1;

        private final transient List<String> problems;

        Problems(List<String> problems) {
            super(String.join("\n", problems));
            this.problems = List.copyOf(problems);
        }

        public List<String> problems() {
            return problems;
        }
    }

    public boolean isForward() {
        return routes.isEmpty();
    }

    static ProxySettings read(SettingValues values) throws Problems {
        List<String> problems = values.problems();
        InetSocketAddress listen =
                values.value("listen", new InetSocketAddress("127.0.0.1", 7680), ProxySettings::address);
        int workers = values.value("workers", Runtime.getRuntime().availableProcessors(), SettingValues::integer);
        List<RouteTable.Route> routes = new ArrayList<>(values.list("routes", ProxySettings::route));
        UpstreamValues.whole(values).ifPresent(origin -> routes.add(new RouteTable.Route("/", origin)));
        boolean forward = values.value("forward.enabled", false, SettingValues::truth);
        List<Cidr> allow = values.list("forward.allow", Cidr::parse);
        List<Integer> ports = values.list("forward.connect-ports", SettingValues::integer);
        List<Cidr> dial = values.list("forward.dial-allow", Cidr::parse);
        List<Cidr> purge = values.list("purge.allow", Cidr::parse);
        InetSocketAddress control = values.optional("control.listen", ProxySettings::addressOrNone);
        Path controlToken = values.optional("control.token-file", text -> Optional.of(Path.of(text)));
        int perSecond = values.value("report.exchanges-per-second", 500, SettingValues::integer);
        String centralUrl = values.optional("central.url", ProxySettings::url);
        Path centralToken = values.optional("central.token-file", text -> Optional.of(Path.of(text)));
        Path data = values.value("data", Path.of("data", "proxy-" + listen.getPort()), Path::of);
        String node = values.value("node", hostName(), text -> text);
        CacheSettings cache = cache(values);
        ConnectionSettings connections = connections(values);
        DeliverSettings deliver = new DeliverSettings(
                values.value("deliver.stall-timeout", DeliverSettings.DEFAULT.stallTimeout(), SettingValues::duration));
        UpstreamSettings upstream = UpstreamValues.read(values);
        ForwardingSettings forwarding = ForwardingSettings.of(values.list("forwarding.pass", text -> text));

        values.refuseUnknown();
        if (workers < 1 || workers > 256) {
            problems.add("workers: " + workers + " (expected: 1 to 256)");
        }
        if (perSecond < 0 || perSecond > 100_000) {
            problems.add("report.exchanges-per-second: " + perSecond + " (expected: 0 to 100000)");
        }
        if (forward == !routes.isEmpty()) {
            problems.add(
                    forward
                            ? "origin: set together with forward.enabled (expected: one of the two)"
                            : "origin: none (expected: --origin URL, routes in the file, or --forward)");
        }
        if (forward && allow.isEmpty()) {
            problems.add(
                    "forward.allow: empty (expected: at least one ADDRESS/BITS; a forward proxy serves nobody else)");
        }
        for (int port : ports) {
            if (port < 1 || port > 65_535) {
                problems.add("forward.connect-ports: " + port + " (expected: 1 to 65535)");
            }
        }
        if (centralUrl != null && centralToken == null) {
            problems.add("central.token-file: none (expected: a file holding the ingest token, beside central.url)");
        }
        cache.check(problems);
        connections.check(problems);
        deliver.check(problems);
        upstream.check(problems);
        forwarding.check(problems);
        if (!problems.isEmpty()) {
            throw new Problems(problems);
        }
        return new ProxySettings(
                listen,
                workers,
                List.copyOf(routes),
                forward ? new AccessList(allow) : AccessList.EVERYBODY,
                ports.isEmpty() ? Set.of(443) : new HashSet<>(ports),
                new AccessList(dial),
                purge.isEmpty() ? AccessList.LOOPBACK : new AccessList(purge),
                control,
                controlToken,
                perSecond,
                centralUrl,
                centralToken,
                data,
                node,
                cache,
                connections,
                deliver,
                upstream,
                forwarding);
    }

    private static CacheSettings cache(SettingValues values) {
        CacheSettings d = CacheSettings.DEFAULT;
        return new CacheSettings(
                values.value("cache.memory", d.memoryBytes(), SettingValues::size),
                values.value("cache.max-object-share", d.maxObjectShare(), SettingValues::real),
                values.value(
                                "cache.pass-mark",
                                java.time.Duration.ofMillis(d.passMarkMillis()),
                                SettingValues::duration)
                        .toMillis(),
                values.value("cache.store-cookies", d.storeCookies(), SettingValues::truth),
                values.value("cache.grace", java.time.Duration.ofSeconds(d.graceSeconds()), SettingValues::duration)
                        .toSeconds(),
                values.text("cache.targets") == null
                        ? d.targets()
                        : values.list("cache.targets", name -> name.strip().toLowerCase(java.util.Locale.ROOT)));
    }

    private static ConnectionSettings connections(SettingValues values) {
        ConnectionSettings d = ConnectionSettings.DEFAULT;
        return new ConnectionSettings(
                values.value("connections.head-timeout", d.headTimeout(), SettingValues::duration),
                values.value("connections.idle-timeout", d.idleTimeout(), SettingValues::duration),
                values.value("connections.max", d.maxConnections(), SettingValues::integer),
                values.value("connections.max-per-client", d.maxPerClient(), SettingValues::integer),
                values.value("connections.drain-timeout", d.drainTimeout(), SettingValues::duration),
                values.value("connections.min-body-rate", d.minBodyRate(), SettingValues::integer),
                values.value("connections.body-window", d.bodyWindow(), SettingValues::duration));
    }

    private static RouteTable.Route route(String text) {
        int equals = text.indexOf('=');
        if (equals < 1 || text.charAt(0) != '/') {
            throw new IllegalArgumentException(
                    text + " (expected: prefix: /PATH and origin: http://HOST[:PORT], or a list)");
        }
        return new RouteTable.Route(text.substring(0, equals), Origin.parse(text.substring(equals + 1)));
    }

    private static Optional<InetSocketAddress> addressOrNone(String text) {
        return text.equals("none") ? Optional.empty() : Optional.of(address(text));
    }

    /** {@code ADDRESS:PORT}, {@code [ADDRESS]:PORT}, or {@code :PORT} for every address of this host. */
    static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        try {
            String host = text.substring(0, Math.max(0, colon));
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon >= 0 && port >= 0 && port <= 65_535) {
                String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
                if (bare.isEmpty() || bare.equals("*")) {
                    return new InetSocketAddress(port);
                }
                InetAddress address =
                        bare.equals("localhost") ? InetAddress.getLoopbackAddress() : InetAddress.ofLiteral(bare);
                return new InetSocketAddress(address, port);
            }
        } catch (IllegalArgumentException e) {
            // told below
        }
        throw new IllegalArgumentException(text + " (expected: ADDRESS:PORT)");
    }

    private static Optional<String> url(String text) {
        if (text.startsWith("http://") || text.startsWith("https://")) {
            return Optional.of(text);
        }
        throw new IllegalArgumentException(text + " (expected: http://HOST:PORT or https://HOST:PORT)");
    }

    static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (java.net.UnknownHostException e) {
            return "localhost";
        }
    }
}
