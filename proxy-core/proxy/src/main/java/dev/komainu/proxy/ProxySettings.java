package dev.komainu.proxy;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.intermediary.buffer.BufferSettings;
import dev.komainu.intermediary.control.ControlSettings;
import dev.komainu.intermediary.proxyprotocol.TrustedProxies;
import dev.komainu.intermediary.transport.Transport;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.intermediary.upstream.UpstreamSettings;
import dev.komainu.organizer.OrganizerSettings;
import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.connection.ClientHttp2Settings;
import dev.komainu.proxy.connection.ConnectionSettings;
import dev.komainu.proxy.connection.ReclaimSettings;
import dev.komainu.proxy.deliver.DeliverSettings;
import dev.komainu.proxy.disk.DiskSettings;
import dev.komainu.proxy.fetch.ForwardingSettings;
import dev.komainu.proxy.log.LogSettings;
import dev.komainu.proxy.peak.PeakSettings;
import dev.komainu.proxy.route.RouteTable;
import dev.komainu.proxy.tls.ClientTlsSettings;
import dev.komainu.settings.Cidr;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.telemetry.identity.CentralAddresses;
import dev.komainu.telemetry.identity.EnrolmentCode;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.PartNames;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All settings of the proxy, checked. {@code docs/configuration/proxy.md} lists each key's unit,
 * range, default and effect.
 *
 * @param listen the address for clients; null when only {@code tls} has one
 * @param workers the event loops, each with its own listening socket: 1 to 256 (one per processor)
 * @param transport the interface to the kernel's sockets: auto, epoll, io_uring, nio (auto)
 * @param warmUp the time of the warm-up before the proxy listens, 0 to 1 min (0)
 * @param routes reverse mode: the origins by path; empty in forward mode
 * @param clients the clients that may use the proxy
 * @param connectPorts forward mode: ports that CONNECT may reach (443)
 * @param dialExceptions forward mode: internal addresses that may be connected
 * @param purgers the clients that may PURGE at the data port (loopback)
 * @param managers the clients that may read the pages below /squid-internal-mgr/ there (loopback)
 * @param control the control endpoint; null for none
 * @param exchangesPerSecond the exchanges reported one by one, 0 to 100,000 (500); the rest is
 *     counted
 * @param central addresses of the central service for reports: as given, or the one of the identity
 *     or of the enrolment code; null for none
 * @param enrolmentCode how to get an identity; null: only an existing one is used
 * @param centralTokenFile the file whose first line is the ingest token
 * @param centralAuthorityFile authorities of the central service's certificate; absent: Java's own
 * @param data the spool for reports while the central service cannot be reached (data/proxy-PORT)
 * @param organizer the settings of this proxy as a member of a cluster; null when it is none
 * @param node this host's name in records
 */
public record ProxySettings(
        @Nullable InetSocketAddress listen,
        AccessList trustedProxies,
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
        @Nullable CentralAddresses central,
        @Nullable EnrolmentCode enrolmentCode,
        @Nullable Path centralTokenFile,
        @Nullable Path centralAuthorityFile,
        Path data,
        String node,
        CacheSettings cache,
        DiskSettings disk,
        PeakSettings peak,
        ConnectionSettings connections,
        ReclaimSettings reclaim,
        BufferSettings buffers,
        ClientHttp2Settings streams,
        DeliverSettings deliver,
        UpstreamSettings upstream,
        ForwardingSettings forwarding,
        LogSettings log,
        ClientTlsSettings tls,
        @Nullable OrganizerSettings organizer) {

    static final Setting<InetSocketAddress> LISTEN = Setting.address("listen")
            .orNone()
            .byDefault("127.0.0.1:7680")
            .option("--listen")
            .atStart("sockets are opened at the start")
            .effect("Address for clients; `:PORT` means every address; `none`: only "
                    + "`tls.listen`");

    static final Setting<Integer> WORKERS = Setting.integer("workers", 1, 256)
            .byDefault("processors", () -> Runtime.getRuntime().availableProcessors())
            .option("--workers")
            .atStart("event loops run from the start on")
            .effect("Event loops, each with its own listening socket (SO_REUSEPORT) and its "
                    + "own origin connections");

    static final Setting<Transport> TRANSPORT = Setting.of(
                    "transport", "auto, epoll, io_uring, nio", Transport::parse)
            .byDefault("auto")
            .atStart("event loops run from the start on")
            .effect("Interface to the kernel's sockets")
            .detail("""
                    `auto` is epoll where it is available, otherwise Java's selector (`nio`).""");

    static final Setting<Duration> WARM_UP = Setting.duration("warm-up", "0", "1m")
            .byDefault("0")
            .atStart("it runs before the proxy listens")
            .effect("Time in which the proxy serves simulated clients before it listens")
            .detail("""
                    The simulated clients use loopback, and a cache and counters of their own. The
                    first real clients then run compiled code. With 20 s, the usual kinds of traffic
                    cost about as much as later, also when they begin after other traffic.""");

    static final Setting<List<Origin>> ORIGIN = Setting.of(
                    "origin", "1 to 64 `http://HOST[:PORT]`, `https://…`", Origin::parse)
            .list()
            .option("--origin")
            .label("URL")
            .effect("Reverse mode: origin server for every path")
            .detail("""
                    Several servers with the same content share the load.""");

    static final Setting<List<RouteTable.Route>> ROUTES = Setting.of(
                    "routes", "`prefix`, `origin` (one URL or a list)", ProxySettings::route)
            .list(",", ProxySettings::routeText)
            .effect("Reverse mode: several origins by path prefix");

    static final Setting<Boolean> FORWARD = Setting.truth("forward.enabled")
            .byDefault("false")
            .option("--forward")
            .atStart("a proxy is a forward or a reverse one for its lifetime")
            .effect("Whether the proxy is a forward proxy: absolute targets and CONNECT");

    static final Setting<List<Cidr>> ALLOW = Setting.of(
                    "forward.allow", "ADDRESS[/BITS]", Cidr::parse)
            .list()
            .option("--allow")
            .label("CIDR")
            .effect("Addresses that may use the forward proxy; it does not start without them");

    static final Setting<List<Integer>> CONNECT_PORTS = Setting.integer(
                    "forward.connect-ports", 1, 65_535)
            .list()
            .byDefault("443")
            .effect("Ports that CONNECT may reach");

    static final Setting<List<Cidr>> DIAL_ALLOW = Setting.of(
                    "forward.dial-allow", "ADDRESS[/BITS]", Cidr::parse)
            .list()
            .effect("Internal addresses to which the proxy may connect")
            .detail("""
                    All other loopback, private, link-local, shared (CGNAT), multicast and reserved
                    addresses are refused, as is every IPv6 address that is not global or contains
                    an IPv4 address. This applies to targets given by name and by number. The proxy
                    never connects to its own listeners.""");

    static final Setting<List<Cidr>> PURGE_ALLOW = Setting.of(
                    "purge.allow", "ADDRESS[/BITS]", Cidr::parse)
            .list()
            .orNone()
            .byDefaultOf("none")
            .effect("Addresses that may send `PURGE` to the data port")
            .detail("All others, and requests that another proxy has forwarded, get 403.");

    static final Setting<List<Cidr>> MANAGER_ALLOW = Setting.of(
                    "manager.allow", "ADDRESS[/BITS]", Cidr::parse)
            .list()
            .orNone()
            .byDefaultOf("none")
            .effect(
                    "Addresses that may read the pages below `/squid-internal-mgr/` on the data port")
            .detail("All others, and requests that another proxy has forwarded, get 403.");

    static final Setting<Integer> EXCHANGES_PER_SECOND = Setting.integer(
                    "report.exchanges-per-second", 0, 100000)
            .byDefault("500")
            .effect("Exchanges per second that are reported one by one; the rest is counted");

    static final Setting<CentralAddresses> CENTRAL_URL = Setting.of(
                    "central.url", CentralAddresses.FORM, CentralAddresses::parse)
            .option("--central")
            .label("URL")
            .severalTimes()
            .atStart("the central service is set at the start")
            .effect("Addresses of the central service for reports; without them the proxy runs "
                    + "alone")
            .detail("""
                    See [Two central services](../operations.md#two-central-services).""");

    static final Setting<EnrolmentCode> ENROLMENT_CODE = Setting.of(
                    "central.enrolment-code", EnrolmentCode.FORM, EnrolmentCode::parse)
            .option("--enrol")
            .label("CODE")
            .atStart("the central service is set at the start")
            .effect("One-time code with which this part gets its identity")
            .detail("""
                    See [Enrolment](#enrolment).""");

    static final Setting<Path> CENTRAL_TOKEN_FILE = Setting.path("central.token-file", "file")
            .option("--token-file")
            .atStart("the central service is set at the start")
            .effect("File of the ingest token, required with `central.url` unless the proxy has an "
                    + "identity");

    static final Setting<Path> CENTRAL_AUTHORITY_FILE = Setting.path(
                    "central.authority-file", "file")
            .option("--authority-file")
            .atStart("the central service is set at the start")
            .effect("Authorities of which the central service's certificate must be")
            .detail("""
                    Needed with `https` when the central service issues its own certificate: a PEM
                    file, a copy of its `authority/authority.pem`. Without it, the authorities of
                    the Java runtime count. A changed file is read again.""");

    static final Setting<Path> DATA = Setting.path("data", "directory")
            .byDefaultOf("data/proxy-PORT")
            .option("--data")
            .atStart("the central service is set at the start")
            .effect("Directory of the spool for reports while the central service is not "
                    + "reachable");

    static final Setting<String> NODE = Setting.text("node", "text")
            .byDefault("host name", ProxySettings::hostName)
            .atStart("it names this proxy in all records")
            .effect("Name of this host in records; the service's id is `NODE:PORT`");

    static final Setting<String> ORGANIZER = Setting.text("organizer", "a map")
            .atStart("a cluster is joined at the start")
            .effect("Settings of this proxy as a member of a cluster")
            .detail("""
                    With `origin: cluster` the proxy sends requests to the member that serves the
                    URL. See [In a cluster](#in-a-cluster).""");

    /** Returns the address that names this proxy. */
    public InetSocketAddress firstListen() {
        return Objects.requireNonNull(listen == null ? tls.listen() : listen);
    }

    /** Returns the names in which this proxy reports. */
    PartNames names() {
        return new PartNames(
                PartNames.Kind.PROXY, "proxy@" + node + ":" + firstListen().getPort(), node);
    }

    public boolean isForward() {
        return routes.isEmpty();
    }

    /**
     * Reads all settings.
     *
     * @throws SettingMistakesException with all invalid values
     */
    static ProxySettings read(SettingReader reader) throws SettingMistakesException {
        InetSocketAddress listen = reader.find(LISTEN);
        ClientTlsSettings tls = ClientTlsSettings.read(reader);
        InetSocketAddress first = listen == null ? tls.listen() : listen;
        List<RouteTable.Route> routes = routes(reader);
        boolean forward = reader.get(FORWARD);
        List<Cidr> allow = reader.get(ALLOW, List.of());
        ConnectionSettings connections = ConnectionSettings.read(reader);
        CentralAddresses given = reader.find(CENTRAL_URL);
        EnrolmentCode code = reader.find(ENROLMENT_CODE);
        Path data =
                reader.get(DATA, Path.of("data", "proxy-" + (first == null ? 0 : first.getPort())));
        URI enrolled = enrolled(reader, data, code);
        ProxySettings settings = new ProxySettings(
                listen,
                TrustedProxies.read(reader),
                reader.get(WORKERS),
                reader.get(TRANSPORT),
                reader.get(WARM_UP),
                routes,
                forward ? new AccessList(allow) : AccessList.ALL,
                new HashSet<>(reader.get(CONNECT_PORTS)),
                new AccessList(reader.get(DIAL_ALLOW, List.of())),
                new AccessList(reader.get(PURGE_ALLOW, List.of())),
                new AccessList(reader.get(MANAGER_ALLOW, List.of())),
                ControlSettings.read(reader),
                reader.get(EXCHANGES_PER_SECOND),
                CentralAddresses.givenOr(given, enrolled),
                code,
                reader.find(CENTRAL_TOKEN_FILE),
                reader.find(CENTRAL_AUTHORITY_FILE),
                data,
                reader.get(NODE),
                CacheSettings.read(reader),
                DiskSettings.read(reader),
                PeakSettings.read(reader),
                connections,
                ReclaimSettings.read(reader),
                BufferSettings.read(reader),
                ClientHttp2Settings.read(reader),
                DeliverSettings.read(reader),
                UpstreamSettings.read(reader),
                ForwardingSettings.read(reader),
                LogSettings.read(reader),
                tls,
                organizer(reader));
        reader.refuseUnknown();
        if (first == null) {
            reader.mistake(LISTEN, "none", "ADDRESS:PORT here or in tls.listen");
        }
        if (forward && !routes.isEmpty()) {
            reader.mistake(ORIGIN, "set together with forward.enabled", "one of the two");
        }
        if (!forward && !reader.isGiven(ORIGIN) && !reader.isGiven(ROUTES)) {
            reader.mistake(ORIGIN, "none", "--origin URL, routes in the file, or --forward");
        }
        if (forward && allow.isEmpty()) {
            reader.mistake(
                    ALLOW,
                    "empty",
                    "at least one ADDRESS/BITS; a forward proxy serves no other clients");
        }
        if (given != null
                && enrolled == null
                && !reader.isGiven(ENROLMENT_CODE)
                && settings.centralTokenFile() == null) {
            reader.mistake(
                    "central.token-file: none (expected: a file with the ingest token, beside"
                            + " central.url, or --enrol CODE)");
        }
        reader.check(settings::check);
        reader.finish();
        return settings;
    }

    /** Adds "name: value (expected …)" for each contradiction. */
    private void check(List<String> problems) {
        if (organizer == null
                && routes.stream().anyMatch(route -> route.origin().isCluster())) {
            problems.add("origin: cluster (expected: beside organizer, the settings of a member)");
        }
        if (organizer != null && transport == Transport.IO_URING) {
            problems.add("transport: io_uring (expected: epoll or nio beside organizer)");
        }
        cache.check(problems);
        disk.check(problems);
        reclaim.check(connections.idleTimeout(), problems);
        buffers.check(transport == Transport.EPOLL, problems);
        upstream.check(problems);
        log.check(problems);
        tls.check(problems);
    }

    /**
     * Returns the central service of the identity, or of the code; null: there is neither, or a
     * mistake was noted.
     */
    private static @Nullable URI enrolled(
            SettingReader reader, Path data, @Nullable EnrolmentCode code) {
        try {
            return PartIdentity.central(data, code);
        } catch (IOException e) {
            reader.mistake("data: " + e.getMessage());
            return null;
        }
    }

    private static List<RouteTable.Route> routes(SettingReader reader) {
        List<RouteTable.Route> routes = new ArrayList<>(reader.get(ROUTES, List.of()));
        List<Origin> origins = reader.get(ORIGIN, List.of());
        if (origins.size() > 1 && origins.stream().anyMatch(Origin::isCluster)) {
            reader.mistake(ORIGIN, "cluster beside servers", "one of the two");
        } else if (!origins.isEmpty()) {
            // The servers of all origins, for every path.
            routes.add(new RouteTable.Route(
                    "/",
                    new Origin(origins.stream()
                            .flatMap(origin -> origin.servers().stream())
                            .toList())));
        }
        return List.copyOf(routes);
    }

    private static @Nullable OrganizerSettings organizer(SettingReader reader) {
        return reader.has(ORGANIZER.key())
                ? OrganizerSettings.readInside(
                        reader.below(ORGANIZER.key(), Objects.requireNonNull(ORGANIZER.atStart())))
                : null;
    }

    /**
     * Returns a route that is written as a map as one line, with blanks between several origins.
     */
    private static String routeText(Map<String, Object> route) {
        String origins = route.get("origin") instanceof List<?> several
                ? several.stream().map(String::valueOf).collect(Collectors.joining(" "))
                : String.valueOf(route.get("origin"));
        return route.get("prefix") + "=" + origins;
    }

    private static RouteTable.Route route(String text) {
        int equals = text.indexOf('=');
        if (equals < 1 || text.charAt(0) != '/') {
            throw new IllegalArgumentException(
                    text + " (expected: prefix: /PATH and origin: http://HOST[:PORT], or a list)");
        }
        return new RouteTable.Route(
                text.substring(0, equals), Origin.parse(text.substring(equals + 1)));
    }

    static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (java.net.UnknownHostException e) {
            return "localhost";
        }
    }
}
