package dev.komainu.organizer;

import dev.komainu.intermediary.control.ControlSettings;
import dev.komainu.intermediary.control.ControlTlsMode;
import dev.komainu.organizer.front.FrontAccess;
import dev.komainu.organizer.front.FrontSettings;
import dev.komainu.organizer.front.ShareSettings;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.member.MembershipSettings;
import dev.komainu.organizer.page.PageSettings;
import dev.komainu.organizer.report.ReportSettings;
import dev.komainu.organizer.route.LineEndpoint;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.service.ServiceEntry;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an organizer, checked. Each key is declared beside the code that it tunes;
 * {@code docs/configuration/organizer.md} lists all of them.
 *
 * @param line the address of this member's lines
 * @param front the listener for clients; absent: none
 * @param access the clients with special rights at the front
 * @param plainLines whether lines are not encrypted, for networks without other hosts
 * @param serve the prefixes that it serves; empty: it only forwards requests
 * @param services the listeners for clients of other protocols
 * @param secretFile the file with the secret of all members; absent: {@code certificates}
 * @param certificates the member's own files; absent beside {@code secretFile}, and where the
 *     identity at the central service counts
 * @param grantAuthority absent: each member may announce every prefix
 * @param grantFile this member's grant
 * @param control the control endpoint; absent: none, or the proxy's
 * @param report the central service for reports on the cluster; absent: none
 * @param data the directory of data that outlives the process; absent: none
 * @param share of a member inside a proxy: its share of the cluster's caches
 * @param pages the settings of pushes with pages
 * @param lines the settings of lines to and from other members
 * @param times the timeouts of clients
 */
public record OrganizerSettings(
        MembershipSettings membership,
        LineEndpoint line,
        @Nullable InetSocketAddress front,
        FrontAccess access,
        boolean plainLines,
        List<Serve> serve,
        List<ServiceEntry> services,
        @Nullable Path secretFile,
        @Nullable CertificateFiles certificates,
        @Nullable String grantAuthority,
        @Nullable Path grantFile,
        @Nullable ControlSettings control,
        @Nullable ReportSettings report,
        @Nullable Path data,
        ShareSettings share,
        PageSettings pages,
        LineSettings lines,
        Times times) {

    /** The prefix of the names of environment variables. */
    static final String VARIABLES = "KOMAINU_ORGANIZER_";

    private static final int LINE_PORT = 7691;
    private static final String SOCKETS = "listening sockets are opened at the start only";
    private static final String PROOF = "members authenticate with it from the start";
    private static final String CREDENTIALS = "a file with the secret that all members share, or"
            + " tls.certificate, tls.key and tls.authorities, or an identity (--enrol CODE)";

    static final Setting<Path> SECRET_FILE = Setting.path(
                    "secret-file", "file; 32 characters at least, 12 different")
            .atStart(PROOF)
            .effect("File of the cluster's secret: a host that has the secret is a member")
            .detail("""
                    Without it and without `tls.certificate`, members authenticate with their
                    [identities](../organizer.md#members-by-identity).""");
    static final Setting<Path> TLS_CERTIFICATE = Setting.path("tls.certificate", "PEM file")
            .atStart(PROOF)
            .effect("Certificate of this member, with `tls.key` and `tls.authorities` in place "
                    + "of a secret")
            .detail("""
                    A host with a certificate of these authorities is a member.""");
    static final Setting<Path> TLS_KEY = Setting.path(
                    "tls.key", "PEM file, PKCS#8 without passphrase")
            .atStart(PROOF)
            .effect("Key of `tls.certificate`");
    static final Setting<Path> TLS_AUTHORITIES = Setting.path("tls.authorities", "PEM file")
            .atStart(PROOF)
            .effect("Certificate authorities of members");
    static final Setting<String> GRANT_AUTHORITY = Setting.text("grant-authority", "base64")
            .atStart(PROOF)
            .effect("Public key of the authority that grants prefixes")
            .detail("""
                    Without it every member may announce and purge everything.""");
    static final Setting<Path> GRANT_FILE = Setting.path("grant-file", "file")
            .atStart(PROOF)
            .effect("Grant of this member; required together with `grant-authority`");
    static final Setting<InetSocketAddress> LINE = Setting.of(
                    "line", "ADDRESS[:PORT]", text -> SettingGrammar.address(text, LINE_PORT))
            .byDefaultOf("`listen`'s address, port 7691")
            .atStart(SOCKETS)
            .effect("Listening address for requests of other members, which is also announced "
                    + "to them")
            .detail("""
                    It uses TLS with the same secret or certificates as the membership. A
                    certificate must contain the member's name.""");
    static final Setting<Boolean> LINE_PLAIN = Setting.truth("line-plain")
            .byDefault("false")
            .atStart("lines are made with it")
            .effect("Whether lines are not encrypted, for networks without other hosts; the "
                    + "same at all members")
            .detail("""
                    Every host that reaches the port may then send requests.""");
    static final Setting<String> SERVE = Setting.text("serve", "list")
            .byDefault("empty", () -> "")
            .effect("Prefixes that this member serves; empty: it only forwards requests");
    static final Setting<String> SERVICES = Setting.text("services", "list")
            .byDefault("empty", () -> "")
            .effect("Listeners for clients of other protocols")
            .detail("""
                    See [Other protocols](../organizer.md#other-protocols).""");
    static final Setting<Optional<InetSocketAddress>> CONTROL_LISTEN = Setting.of(
                    "control.listen",
                    "ADDRESS[:PORT], `none`; port 7692 where none is written",
                    OrganizerSettings::control)
            .byDefault("127.0.0.1:7692")
            .atStart(SOCKETS)
            .effect("Address of the control endpoint")
            .detail("""
                    See [Control](../organizer.md#control).""");
    static final Setting<Path> CONTROL_TOKEN_FILE = Setting.path(
                    "control.token-file",
                    "file, as the [proxy's](../formats/proxy-control.md#who-may)")
            .effect("File of tokens for drain and weight; without it both are disabled");

    /**
     * A prefix and the server that serves it.
     *
     * @param host empty: the proxy in this process caches it
     */
    public record Serve(ServedRoute route, String host, int port) {

        static final Setting<UrlPrefix> PREFIX = Setting.of(
                        "prefix", "HOST/PATH, `*/PATH`", UrlPrefix::parse)
                .effect("URL prefix; the host need not be in DNS");
        static final Setting<InetSocketAddress> SERVER = Setting.of(
                        "server",
                        "HOST[:PORT]; port 80 where none is written",
                        text -> SettingGrammar.hostAndPort(text, 80))
                .effect("Server of the prefix; checked every second");
        static final Setting<Integer> WEIGHT = Setting.integer("weight", 0, ServedRoute.MOST_WEIGHT)
                .byDefault("1")
                .effect("Share among members that would respond equally soon; 0: only when no "
                        + "other member can");
        static final Setting<Integer> CAPACITY = Setting.integer(
                        "capacity", 1, ServedRoute.MOST_CAPACITY)
                .range("1 to 1,000,000 requests")
                .byDefault("64")
                .effect(
                        "Requests that the server processes at once before they wait for each other");
        static final Setting<Boolean> CACHE = Setting.truth("cache")
                .byDefault("false")
                .effect("Whether the server is a cache: requests for the same URL then always go "
                        + "to the same member");
        static final Setting<String> CONTENT = Setting.text(
                        "content",
                        "up to 64 visible ASCII characters",
                        "[!-~]{0," + ServedRoute.LONGEST_CONTENT + "}")
                .byDefault("empty", () -> "")
                .effect("Name of the served content")
                .detail("""
                    Members with one prefix and different contents are a conflict. The content of
                    the oldest of them is served.""");

        /**
         * Reads a member of {@code serve}. Null when a mistake was noted without which there is
         * none.
         *
         * @param inside where no server is named, the proxy in this process caches the prefix
         */
        static @Nullable Serve read(SettingReader reader, boolean inside) {
            UrlPrefix prefix = reader.find(PREFIX);
            InetSocketAddress server = reader.find(SERVER);
            int weight = reader.get(WEIGHT);
            int capacity = reader.get(CAPACITY);
            boolean cache = reader.get(CACHE);
            String content = reader.get(CONTENT);
            reader.require(PREFIX, "HOST/PATH, or */PATH for every host");
            boolean here = inside && cache && !reader.isGiven(SERVER);
            if (!here) {
                reader.require(
                        SERVER,
                        "HOST:PORT of the server that serves it"
                                + (inside ? ", or cache: true for this proxy" : ""));
            }
            return prefix == null || (server == null && !here)
                    ? null
                    : new Serve(
                            new ServedRoute(prefix, weight, capacity, cache, content),
                            server == null ? "" : server.getHostString(),
                            server == null ? 0 : server.getPort());
        }

        boolean isHere() {
            return host.isEmpty();
        }
    }

    /**
     * The timeouts of an organizer.
     *
     * @param idle see {@link dev.komainu.organizer.front.FrontSettings}
     * @param head see there
     * @param drain the time for requests and tunnels in progress after SIGTERM
     */
    public record Times(Duration idle, Duration head, Duration drain) {

        static final Setting<Duration> DRAIN_TIMEOUT = Setting.duration("drain-timeout", "0", "5m")
                .byDefault("10s")
                .effect("Time after SIGTERM for requests and tunnels in progress")
                .detail("""
                    Before this time starts, the other members are informed and send requests
                    elsewhere.""");

        static final Times DEFAULT = read(SettingReader.ofDefaults());

        static Times read(SettingReader reader) {
            return new Times(
                    reader.get(FrontSettings.IDLE_TIMEOUT),
                    reader.get(FrontSettings.HEAD_TIMEOUT),
                    reader.get(DRAIN_TIMEOUT));
        }
    }

    /** PEM files. */
    public record CertificateFiles(Path certificate, Path key, Path authorities) {

        /** Returns null when none of the three is given, or when a mistake was noted. */
        static @Nullable CertificateFiles read(SettingReader reader) {
            Path certificate = reader.find(TLS_CERTIFICATE);
            Path key = reader.find(TLS_KEY);
            Path authorities = reader.find(TLS_AUTHORITIES);
            if (certificate != null && key != null && authorities != null) {
                return new CertificateFiles(certificate, key, authorities);
            }
            boolean isAllGiven = reader.isGiven(TLS_CERTIFICATE)
                    && reader.isGiven(TLS_KEY)
                    && reader.isGiven(TLS_AUTHORITIES);
            if (isAnyGiven(reader) && !isAllGiven) {
                reader.mistake(
                        "tls: incomplete (expected: tls.certificate, tls.key and tls.authorities together)");
            }
            return null;
        }

        static boolean isAnyGiven(SettingReader reader) {
            return reader.isGiven(TLS_CERTIFICATE)
                    || reader.isGiven(TLS_KEY)
                    || reader.isGiven(TLS_AUTHORITIES);
        }
    }

    List<ServedRoute> routes() {
        return serve.stream().map(Serve::route).toList();
    }

    /**
     * Reads the settings of an organizer with its own process.
     *
     * @throws SettingMistakesException all mistakes
     */
    static OrganizerSettings read(SettingReader reader) throws SettingMistakesException {
        OrganizerSettings settings = read(reader, false);
        reader.refuseUnknown();
        reader.finish();
        return Objects.requireNonNull(settings);
    }

    /**
     * Reads the settings of a member inside a proxy. The proxy has the listeners for clients and
     * for control, refuses unknown keys and reports all mistakes.
     *
     * @param reader of what stands below {@code organizer}
     * @return null when a mistake was noted
     */
    public static @Nullable OrganizerSettings readInside(SettingReader reader) {
        return read(reader, true);
    }

    private static @Nullable OrganizerSettings read(SettingReader reader, boolean inside) {
        MembershipSettings membership = MembershipSettings.read(reader);
        Path secret = reader.find(SECRET_FILE);
        CertificateFiles certificates = CertificateFiles.read(reader);
        if (reader.isGiven(SECRET_FILE) && CertificateFiles.isAnyGiven(reader)) {
            reader.mistake(SECRET_FILE, "set beside tls.certificate", CREDENTIALS);
        }
        String authority = reader.find(GRANT_AUTHORITY);
        Path grant = reader.find(GRANT_FILE);
        if (reader.isGiven(GRANT_AUTHORITY) != reader.isGiven(GRANT_FILE)) {
            reader.mistake(
                    reader.isGiven(GRANT_FILE) ? GRANT_AUTHORITY : GRANT_FILE,
                    "none",
                    "grant-authority and grant-file together");
        }
        InetSocketAddress line = membership == null
                ? reader.find(LINE)
                : reader.get(
                        LINE, new InetSocketAddress(membership.listen().getAddress(), LINE_PORT));
        boolean plainLines = reader.get(LINE_PLAIN);
        LineSettings lines = LineSettings.read(reader);
        if (plainLines && lines.carrier() == LineCarrier.QUIC) {
            reader.mistake(
                    LineSettings.CARRIER,
                    "quic",
                    "tcp beside line-plain, since QUIC is never in the clear");
        }
        InetSocketAddress front = inside ? null : reader.find(FrontSettings.LISTEN);
        FrontAccess access = inside ? FrontAccess.NONE : FrontAccess.read(reader);
        Times times = inside ? Times.DEFAULT : Times.read(reader);
        ShareSettings share = inside ? ShareSettings.read(reader) : ShareSettings.DEFAULT;
        PageSettings pages = inside ? PageSettings.readInside(reader) : PageSettings.read(reader);
        List<Serve> serve = serve(reader, inside);
        List<ServiceEntry> services = reader.members(SERVICES, ServiceEntry::read);
        ControlSettings control = inside ? null : control(reader);
        ReportSettings report =
                ReportSettings.read(reader, membership == null ? null : membership.member());
        boolean isNamed = reader.isGiven(SECRET_FILE) || CertificateFiles.isAnyGiven(reader);
        if (!isNamed && (report == null || !report.isEnrolled())) {
            reader.mistake(SECRET_FILE, "none", CREDENTIALS);
        }
        Path data = report == null ? reader.find(ReportSettings.DATA) : report.data();
        if (membership == null || line == null || reader.hasMistakes()) {
            return null;
        }
        return new OrganizerSettings(
                membership,
                new LineEndpoint(
                        line.getAddress().getHostAddress(), line.getPort(), membership.member()),
                front,
                access,
                plainLines,
                serve,
                services,
                secret,
                certificates,
                authority,
                grant,
                control,
                report,
                data,
                share,
                pages,
                lines,
                times);
    }

    private static List<Serve> serve(SettingReader reader, boolean inside) {
        List<Serve> serve = reader.members(SERVE, one -> Serve.read(one, inside));
        Set<UrlPrefix> prefixes = new HashSet<>();
        for (Serve one : serve) {
            if (!prefixes.add(one.route().prefix())) {
                reader.mistake(SERVE, one.route().prefix() + " twice", "each prefix once");
            }
        }
        return serve;
    }

    private static @Nullable ControlSettings control(SettingReader reader) {
        Optional<InetSocketAddress> listen = reader.get(CONTROL_LISTEN);
        Path tokens = reader.find(CONTROL_TOKEN_FILE);
        ControlTlsMode tls = reader.get(ControlSettings.TLS);
        return listen.map(address -> new ControlSettings(address, tokens, false, tls))
                .orElse(null);
    }

    private static Optional<InetSocketAddress> control(String text) {
        return text.equals(SettingGrammar.NONE)
                ? Optional.empty()
                : Optional.of(SettingGrammar.address(text, 7692));
    }
}
