package dev.komainu.proxy;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.intermediary.access.Cidr;
import dev.komainu.intermediary.buffer.BufferScheme;
import dev.komainu.intermediary.buffer.BufferSettings;
import dev.komainu.intermediary.buffer.IdleDecay;
import dev.komainu.intermediary.control.ControlSettings;
import dev.komainu.intermediary.transport.Transport;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.intermediary.upstream.UpstreamSettings;
import dev.komainu.organizer.OrganizerSettings;
import dev.komainu.organizer.SettingProblemsException;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import dev.komainu.proxy.connection.ConnectionSettings;
import dev.komainu.proxy.connection.ReclaimSettings;
import dev.komainu.proxy.connection.StreamSettings;
import dev.komainu.proxy.deliver.DeliverSettings;
import dev.komainu.proxy.disk.DiskSettings;
import dev.komainu.proxy.fetch.ForwardingSettings;
import dev.komainu.proxy.log.LogFormat;
import dev.komainu.proxy.log.LogSettings;
import dev.komainu.proxy.peak.PeakSettings;
import dev.komainu.proxy.route.RouteTable;
import dev.komainu.proxy.tls.CertificateFiles;
import dev.komainu.proxy.tls.ClientTlsSettings;
import dev.komainu.proxy.tls.TlsEngine;
import dev.komainu.settings.SettingText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can be set, checked. {@code docs/configuration/proxy.md} tells each key's unit, range, default and
 * effect.
 *
 * @param listen where clients come in; absent: only where {@code tls} says
 * @param workers event loops, each with its own listening socket: 1 to 256 (one per processor)
 * @param transport how bytes reach the kernel: auto, epoll, io_uring, nio (auto)
 * @param warmUp how long it practises before it listens, 0 to a minute (0)
 * @param routes reverse mode: who serves what; empty in forward mode
 * @param clients who may use the proxy
 * @param connectPorts forward mode: ports that CONNECT may reach (443)
 * @param dialExceptions forward mode: inner addresses that may be dialled all the same
 * @param purgers who may PURGE on the data port (loopback)
 * @param managers who may read the pages below /squid-internal-mgr/ there (loopback)
 * @param control the control endpoint; absent: none
 * @param exchangesPerSecond exchanges reported one by one, 0 to 100,000 (500); the rest is counted
 * @param centralUrl central service to report to; absent: none
 * @param centralTokenFile file whose first line is the ingest token
 * @param data where reports wait while the central service cannot be reached (data/proxy-PORT)
 * @param organizer this proxy as a member of a cluster; absent: it is none
 * @param node this host's name in records
 */
public record ProxySettings(
        @Nullable InetSocketAddress listen,
        int workers,
        Transport transport,
        Duration warmUp,
        List<RouteTable.Route> routes,
        AccessList clients,
        Set<Integer> connectPorts,
        AccessList dialExceptions,
        AccessList purgers,
        AccessList managers,
        @Nullable ControlSettings control,
        int exchangesPerSecond,
        @Nullable String centralUrl,
        @Nullable Path centralTokenFile,
        Path data,
        String node,
        CacheSettings cache,
        DiskSettings disk,
        PeakSettings peak,
        ConnectionSettings connections,
        ReclaimSettings reclaim,
        BufferSettings buffers,
        StreamSettings streams,
        DeliverSettings deliver,
        UpstreamSettings upstream,
        ForwardingSettings forwarding,
        LogSettings log,
        ClientTlsSettings tls,
        @Nullable OrganizerSettings organizer) {

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

    /** The address that names this proxy. */
    public InetSocketAddress firstListen() {
        return Objects.requireNonNull(listen == null ? tls.listen() : listen);
    }

    public boolean isForward() {
        return routes.isEmpty();
    }

    static ProxySettings read(SettingValues values) throws Problems {
        List<String> problems = values.problems();
        InetSocketAddress listen = values.value(
                        "listen", Optional.of(new InetSocketAddress("127.0.0.1", 7680)), ProxySettings::addressOrNone)
                .orElse(null);
        ClientTlsSettings tls = tls(values);
        if (listen == null && tls.listen() == null) {
            problems.add("listen: none (expected: ADDRESS:PORT here or in tls.listen)");
        }
        InetSocketAddress first = listen == null ? tls.listen() : listen;
        int workers = values.value("workers", Runtime.getRuntime().availableProcessors(), SettingText::integer);
        Transport transport = values.value("transport", Transport.best(), Transport::parse);
        Duration warmUp = values.value("warm-up", Duration.ZERO, SettingText::duration);
        List<RouteTable.Route> routes = new ArrayList<>(values.list("routes", ProxySettings::route));
        UpstreamValues.whole(values).ifPresent(origin -> routes.add(new RouteTable.Route("/", origin)));
        boolean forward = values.value("forward.enabled", false, SettingText::truth);
        List<Cidr> allow = values.list("forward.allow", Cidr::parse);
        List<Integer> ports = values.list("forward.connect-ports", SettingText::integer);
        List<Cidr> dial = values.list("forward.dial-allow", Cidr::parse);
        List<Cidr> purge = values.list("purge.allow", Cidr::parse);
        List<Cidr> manage = values.list("manager.allow", Cidr::parse);
        ControlSettings control = control(values);
        int perSecond = values.value("report.exchanges-per-second", 500, SettingText::integer);
        String centralUrl = values.optional("central.url", ProxySettings::url);
        Path centralToken = values.optional("central.token-file", text -> Optional.of(Path.of(text)));
        Path data = values.value("data", Path.of("data", "proxy-" + (first == null ? 0 : first.getPort())), Path::of);
        String node = values.value("node", hostName(), text -> text);
        CacheSettings cache = cache(values);
        DiskSettings disk = DiskValues.disk(values);
        PeakSettings peak = DiskValues.peak(values);
        ConnectionSettings connections = connections(values);
        ReclaimSettings reclaim = ReclaimValues.read(values, connections.idleTimeout());
        BufferSettings buffers = buffers(values);
        StreamSettings streams = streams(values);
        DeliverSettings deliver = new DeliverSettings(
                values.value("deliver.stall-timeout", DeliverSettings.DEFAULT.stallTimeout(), SettingText::duration),
                values.value("deliver.min-rate", DeliverSettings.DEFAULT.minRate(), SettingText::integer),
                values.value("deliver.read-ahead", DeliverSettings.DEFAULT.readAheadBytes(), SettingText::size));
        UpstreamSettings upstream = UpstreamValues.read(values);
        LogSettings log = log(values);
        ForwardingSettings forwarding = ForwardingSettings.of(values.list("forwarding.pass", text -> text));

        OrganizerSettings organizer = organizer(values);

        values.refuseUnknown();
        if (workers < 1 || workers > 256) {
            problems.add("workers: " + workers + " (expected: 1 to 256)");
        }
        if (warmUp.toSeconds() > 60) {
            problems.add("warm-up: " + warmUp.toMillis() + " ms (expected: 0 to 60000)");
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
        if (organizer == null
                && routes.stream().anyMatch(route -> route.origin().isCluster())) {
            problems.add("origin: cluster (expected: beside organizer, the settings of a member)");
        }
        if (organizer != null && transport == Transport.IO_URING) {
            problems.add("transport: io_uring (expected: epoll or nio beside organizer)");
        }
        cache.check(problems);
        disk.check(problems);
        peak.check(problems);
        connections.check(problems);
        reclaim.check(connections.idleTimeout(), problems);
        buffers.check(transport == Transport.EPOLL, problems);
        streams.check(problems);
        deliver.check(problems);
        upstream.check(problems);
        forwarding.check(problems);
        log.check(problems);
        tls.check(problems);
        if (!problems.isEmpty()) {
            throw new Problems(problems);
        }
        return new ProxySettings(
                listen,
                workers,
                transport,
                warmUp,
                List.copyOf(routes),
                forward ? new AccessList(allow) : AccessList.EVERYBODY,
                ports.isEmpty() ? Set.of(443) : new HashSet<>(ports),
                new AccessList(dial),
                purge.isEmpty() ? AccessList.LOOPBACK : new AccessList(purge),
                manage.isEmpty() ? AccessList.LOOPBACK : new AccessList(manage),
                control,
                perSecond,
                centralUrl,
                centralToken,
                data,
                node,
                cache,
                disk,
                peak,
                connections,
                reclaim,
                buffers,
                streams,
                deliver,
                upstream,
                forwarding,
                log,
                tls,
                organizer);
    }

    private static @Nullable OrganizerSettings organizer(SettingValues values) {
        Map<?, ?> tree = values.tree("organizer");
        if (tree == null) {
            return null;
        }
        try {
            return OrganizerSettings.readInside(tree, values.environment());
        } catch (SettingProblemsException e) {
            e.problems().forEach(problem -> values.problems().add("organizer." + problem));
            return null;
        }
    }

    private static LogSettings log(SettingValues values) {
        LogSettings d = LogSettings.DEFAULT;
        return new LogSettings(
                values.optional(
                        "log.access", text -> text.equals("none") ? Optional.empty() : Optional.of(Path.of(text))),
                values.value("log.format", d.format(), LogFormat::of),
                values.value("log.query", d.withQuery(), SettingText::truth),
                values.value("log.max-size", d.maxBytes(), SettingText::size),
                values.value("log.keep", d.keep(), SettingText::integer));
    }

    private static @Nullable ControlSettings control(SettingValues values) {
        InetSocketAddress listen = values.optional("control.listen", ProxySettings::addressOrNone);
        Path tokenFile = values.optional("control.token-file", text -> Optional.of(Path.of(text)));
        values.assume("control.read-token", "elsewhere");
        boolean readToken = values.value("control.read-token", false, ProxySettings::required);
        return listen == null ? null : new ControlSettings(listen, tokenFile, readToken);
    }

    private static boolean required(String text) {
        if (!text.equals("required") && !text.equals("elsewhere")) {
            throw new IllegalArgumentException(text + " (expected: required or elsewhere)");
        }
        return text.equals("required");
    }

    private static ClientTlsSettings tls(SettingValues values) {
        ClientTlsSettings d = ClientTlsSettings.NONE;
        List<String> versions = values.list("tls.versions", text -> text);
        return new ClientTlsSettings(
                values.optional("tls.listen", ProxySettings::addressOrNone),
                values.list("tls.certificates", CertificateFiles::parse),
                versions.isEmpty() ? d.versions() : new HashSet<>(versions),
                values.value("tls.engine", d.engine(), TlsEngine::parse),
                values.value("tls.handshake-timeout", d.handshakeTimeout(), SettingText::duration));
    }

    private static CacheSettings cache(SettingValues values) {
        CacheSettings d = CacheSettings.DEFAULT;
        return new CacheSettings(
                values.value("cache.memory", d.memoryBytes(), SettingText::size),
                values.value("cache.max-object-share", d.maxObjectShare(), SettingText::share),
                values.value("cache.pass-mark", java.time.Duration.ofMillis(d.passMarkMillis()), SettingText::duration)
                        .toMillis(),
                values.value("cache.store-cookies", d.storeCookies(), SettingText::truth),
                values.value("cache.grace", java.time.Duration.ofSeconds(d.graceSeconds()), SettingText::duration)
                        .toSeconds(),
                values.value(
                                "cache.negative-ttl",
                                java.time.Duration.ofSeconds(d.negativeSeconds()),
                                SettingText::duration)
                        .toSeconds(),
                values.text("cache.targets") == null
                        ? d.targets()
                        : values.list("cache.targets", name -> name.strip().toLowerCase(java.util.Locale.ROOT)),
                values.value("cache.strip-tags", d.stripTags(), SettingText::truth),
                values.value("cache.policy", d.policy(), CachePolicy::parse),
                partition(values));
    }

    private static PartitionSettings partition(SettingValues values) {
        PartitionSettings d = PartitionSettings.DEFAULT;
        return new PartitionSettings(
                values.value("cache.partition", d.mode(), PartitionMode::parse),
                values.list("cache.priority", PriorityPrefix::parse),
                values.value("cache.partition-floor", d.floorPercent(), SettingText::integer),
                values.value("cache.partition-damping", d.dampingPercent(), SettingText::integer));
    }

    private static ConnectionSettings connections(SettingValues values) {
        ConnectionSettings d = ConnectionSettings.DEFAULT;
        return new ConnectionSettings(
                values.value("connections.head-timeout", d.headTimeout(), SettingText::duration),
                values.value("connections.idle-timeout", d.idleTimeout(), SettingText::duration),
                values.value("connections.max", d.maxConnections(), SettingText::integer),
                values.value("connections.max-of", d.maxOf(), ConnectionSettings.MaxOf::parse),
                values.value("connections.max-per-client", d.maxPerClient(), SettingText::integer),
                values.value("connections.drain-timeout", d.drainTimeout(), SettingText::duration),
                values.value("connections.min-body-rate", d.minBodyRate(), SettingText::integer),
                values.value("connections.body-window", d.bodyWindow(), SettingText::duration));
    }

    private static BufferSettings buffers(SettingValues values) {
        BufferSettings d = BufferSettings.DEFAULT;
        return new BufferSettings(
                values.value("buffers.scheme", d.scheme(), BufferScheme::parse),
                values.value("buffers.budget", d.budgetBytes(), SettingText::size),
                values.value("buffers.idle-decay", d.idleDecay(), IdleDecay::parse));
    }

    private static StreamSettings streams(SettingValues values) {
        StreamSettings d = StreamSettings.DEFAULT;
        return new StreamSettings(
                values.value("http2.enabled", d.enabled(), SettingText::truth),
                values.value("http2.max-streams", d.maxStreams(), SettingText::integer),
                (int) Math.min(
                        Integer.MAX_VALUE,
                        values.value("http2.stream-window", (long) d.windowBytes(), SettingText::size)));
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
        return text.equals("none") ? Optional.empty() : Optional.of(SettingText.address(text));
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
