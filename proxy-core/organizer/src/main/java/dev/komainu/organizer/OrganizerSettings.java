package dev.komainu.organizer;

import dev.komainu.intermediary.control.ControlSettings;
import dev.komainu.organizer.front.FrontSettings;
import dev.komainu.organizer.front.ShareSettings;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.member.MembershipSettings;
import dev.komainu.organizer.page.PageSettings;
import dev.komainu.organizer.report.ReportSettings;
import dev.komainu.organizer.route.LineEndpoint;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.service.Entry;
import dev.komainu.organizer.service.PortRange;
import dev.komainu.organizer.service.Protocol;
import dev.komainu.settings.SettingText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can be set, checked. {@code docs/configuration/organizer.md} tells each key's unit, range, default and effect.
 *
 * @param line where this member's line is reached
 * @param front where clients reach it; absent: nowhere
 * @param plainLines lines in the clear, for networks nobody else is on
 * @param serve what it serves; empty: it only asks others
 * @param services where clients of other protocols come in
 * @param secretFile what all members share; absent: {@code certificates}
 * @param grantAuthority absent: who may join may announce everything
 * @param grantFile this member's grant
 * @param control the control endpoint; absent: none, or the proxy's
 * @param report where to tell of the cluster; absent: nowhere
 * @param data where what outlives the process is kept; absent: nowhere
 * @param share of a member inside a proxy: its part in the cluster's caches
 * @param pages what comes with pages
 * @param lines how lines to and from other members are tuned
 * @param times what clients are waited for, and for how long
 */
public record OrganizerSettings(
        MembershipSettings membership,
        LineEndpoint line,
        @Nullable InetSocketAddress front,
        boolean plainLines,
        List<Serve> serve,
        List<Entry> services,
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

    static final int PORT = 7690;
    static final int LINE_PORT = 7691;
    static final int FRONT_PORT = 7680;
    private static final String CONTROL = "127.0.0.1:7692";

    /** A prefix and who serves it. @param host empty: the proxy in this process caches it */
    public record Serve(ServedRoute route, String host, int port) {

        boolean isHere() {
            return host.isEmpty();
        }
    }

    /**
     * How long what is waited for.
     *
     * @param idle see {@link dev.komainu.organizer.front.FrontSettings}
     * @param head see there
     * @param drain how long what is under way may go on after SIGTERM: 0 to 5 min (10 s)
     */
    public record Times(Duration idle, Duration head, Duration drain) {

        static final Times DEFAULT = new Times(Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ofSeconds(10));

        void check(List<String> problems) {
            FrontSettings.checkTimes(problems, idle, head);
            if (drain.isNegative() || drain.toMillis() > 300_000) {
                problems.add("drain-timeout: " + drain.toMillis() + "ms (expected: 0 to 300000ms)");
            }
        }
    }

    /** PEM files. */
    public record CertificateFiles(Path certificate, Path key, Path authorities) {}

    List<ServedRoute> routes() {
        return serve.stream().map(Serve::route).toList();
    }

    /**
     * Reads what a file says.
     *
     * @param environment {@code cluster} is {@code KOMAINU_ORGANIZER_CLUSTER} there, and wins; {@code serve} and {@code services} are the file's alone
     * @throws SettingProblemsException all mistakes
     */
    static OrganizerSettings read(Map<?, ?> file, Map<String, String> environment) throws SettingProblemsException {
        return read(new SettingTree(file, environment));
    }

    /** Likewise. */
    static OrganizerSettings read(SettingTree tree) throws SettingProblemsException {
        return read(tree, false);
    }

    /**
     * Likewise, of a member inside a proxy: that has listeners for clients and for control itself.
     *
     * @param file the proxy's file below {@code organizer}
     */
    public static OrganizerSettings readInside(Map<?, ?> file, Map<String, String> environment)
            throws SettingProblemsException {
        return read(new SettingTree(file, environment), true);
    }

    private static OrganizerSettings read(SettingTree tree, boolean inside) throws SettingProblemsException {
        List<String> problems = tree.problems();
        String cluster = tree.value("cluster", "komainu", text -> text);
        MemberId member = tree.optional("member", MemberId::new);
        if (member == null && tree.text("member") == null) {
            member = ownName(problems);
        }
        InetSocketAddress listen = tree.optional("listen", text -> address(text, PORT));
        InetSocketAddress line = tree.optional("line", text -> address(text, LINE_PORT));
        String front = inside ? "none" : tree.value("front.listen", "none", text -> text);
        boolean plainLines = tree.value("line-plain", false, SettingText::truth);
        List<InetSocketAddress> seeds = tree.list("meet.seeds", text -> unresolved(text, PORT));
        InetSocketAddress multicast = tree.optional("meet.multicast", text -> address(text, PORT));
        Duration detect = tree.value("detect", MembershipSettings.DETECT, SettingText::duration);
        Path secret = tree.optional("secret-file", Path::of);
        Path certificate = tree.optional("tls.certificate", Path::of);
        Path key = tree.optional("tls.key", Path::of);
        Path authorities = tree.optional("tls.authorities", Path::of);
        String authority = tree.optional("grant-authority", text -> text);
        Path grant = tree.optional("grant-file", Path::of);
        String control = inside ? "none" : tree.value("control.listen", CONTROL, text -> text);
        Path tokens = inside ? null : tree.optional("control.token-file", Path::of);
        ShareSettings share = inside ? share(tree) : ShareSettings.DEFAULT;
        PageSettings pages = pages(tree, inside);
        LineSettings lines = lines(tree);
        Times times = times(tree, inside);
        Path data = tree.optional("data", Path::of);
        ReportSettings report = report(tree, member, data);
        List<Serve> serve = new ArrayList<>();
        Set<UrlPrefix> prefixes = new HashSet<>();
        for (SettingTree one : tree.members("serve")) {
            Serve read = serve(one, inside);
            if (read != null) {
                if (!prefixes.add(read.route().prefix())) {
                    problems.add("serve: " + read.route().prefix() + " twice (expected: each prefix once)");
                }
                serve.add(read);
            }
        }
        List<Entry> services = new ArrayList<>();
        for (SettingTree one : tree.members("services")) {
            Entry read = entry(one);
            if (read != null) {
                services.add(read);
            }
        }
        tree.refuseUnknown();

        if (listen == null && tree.text("listen") == null) {
            problems.add("listen: none (expected: the ADDRESS[:PORT] where other members reach this one)");
        }
        boolean byCertificate = certificate != null || key != null || authorities != null;
        if ((secret != null) == byCertificate) {
            problems.add("secret-file: " + (secret == null ? "none" : "set beside tls.certificate")
                    + " (expected: a file with the secret that all members share, or tls.certificate, tls.key and"
                    + " tls.authorities)");
        }
        if (byCertificate && (certificate == null || key == null || authorities == null)) {
            problems.add("tls: incomplete (expected: tls.certificate, tls.key and tls.authorities together)");
        }
        if ((authority == null) != (grant == null)) {
            problems.add((authority == null ? "grant-authority" : "grant-file")
                    + ": none (expected: grant-authority and grant-file together)");
        }
        if (plainLines && lines.carrier() == LineCarrier.QUIC) {
            problems.add("line-carrier: quic (expected: tcp beside line-plain, since QUIC is never in the clear)");
        }
        InetSocketAddress clients = front(front, problems);
        share.check(problems);
        pages.check(problems);
        lines.check(problems);
        times.check(problems);
        ControlSettings endpoint = control(control, tokens, problems);
        if (listen != null && member != null) {
            MembershipSettings membership = new MembershipSettings(cluster, member, listen, seeds, multicast, detect);
            membership.check(problems);
            if (problems.isEmpty()) {
                LineEndpoint reached = line == null
                        ? new LineEndpoint(listen.getAddress().getHostAddress(), LINE_PORT, member)
                        : new LineEndpoint(line.getAddress().getHostAddress(), line.getPort(), member);
                CertificateFiles files = certificate == null || key == null || authorities == null
                        ? null
                        : new CertificateFiles(certificate, key, authorities);
                return new OrganizerSettings(
                        membership,
                        reached,
                        clients,
                        plainLines,
                        List.copyOf(serve),
                        List.copyOf(services),
                        secret,
                        files,
                        authority,
                        grant,
                        endpoint,
                        report,
                        report == null ? data : report.data(),
                        share,
                        pages,
                        lines,
                        times);
            }
        }
        throw new SettingProblemsException(problems);
    }

    private static LineSettings lines(SettingTree tree) {
        LineSettings d = LineSettings.DEFAULT;
        String none = "none";
        return new LineSettings(
                tree.value("lines.connections", d.connections(), SettingText::integer),
                window(tree, "lines.stream-window", d.streamWindowBytes()),
                window(tree, "lines.connection-window", d.connectionWindowBytes()),
                tree.value("lines.held", d.heldBytes(), SettingText::size),
                tree.value("lines.max-streams", d.maxStreams(), SettingText::integer),
                d.notSentBytes(),
                tree.value("lines.congestion", d.congestion(), text -> text.equals(none) ? "" : text),
                d.replayBytes(),
                tree.value("lines.ping-every", d.pingEvery(), SettingText::duration),
                tree.value("lines.silence", d.silence(), SettingText::duration),
                tree.value("lines.connect-timeout", d.connectTimeout(), SettingText::duration),
                d.backOff(),
                tree.value("lines.patience", d.patience(), SettingText::duration),
                tree.value("line-carrier", d.carrier(), LineCarrier::parse));
    }

    private static int window(SettingTree tree, String key, long usual) {
        return (int) Math.min(Integer.MAX_VALUE, tree.value(key, usual, SettingText::size));
    }

    /** A proxy has its own for its clients. */
    private static Times times(SettingTree tree, boolean inside) {
        Times d = Times.DEFAULT;
        return inside
                ? d
                : new Times(
                        tree.value("front.idle-timeout", d.idle(), SettingText::duration),
                        tree.value("front.head-timeout", d.head(), SettingText::duration),
                        tree.value("drain-timeout", d.drain(), SettingText::duration));
    }

    private static @Nullable ReportSettings report(SettingTree tree, @Nullable MemberId member, @Nullable Path data) {
        URI central = tree.optional("central.url", OrganizerSettings::url);
        Path token = tree.optional("central.token-file", Path::of);
        String node = tree.value("node", hostName(), text -> text);
        if (central != null && token == null) {
            tree.problem("central.token-file: none (expected: a file holding the ingest token, beside central.url)");
        }
        return central == null || token == null
                ? null
                : new ReportSettings(
                        central, token, node, data == null ? Path.of("data", "organizer-" + member) : data);
    }

    private static URI url(String text) {
        URI read = URI.create(text);
        if (read.getHost() == null || !(text.startsWith("http://") || text.startsWith("https://"))) {
            throw new IllegalArgumentException(text + " (expected: http://HOST:PORT or https://HOST:PORT)");
        }
        return read;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private static ShareSettings share(SettingTree tree) {
        ShareSettings d = ShareSettings.DEFAULT;
        return new ShareSettings(
                tree.value("share.patience", d.patience(), SettingText::duration),
                tree.value("share.copies", d.copiesPercent(), SettingText::integer));
    }

    /** @param inside a proxy has a cache of its own for what its clients ask: it takes nothing unasked */
    private static PageSettings pages(SettingTree tree, boolean inside) {
        PageSettings d = PageSettings.DEFAULT;
        return new PageSettings(
                tree.value("pages.push", d.pushBytes(), SettingText::size),
                inside ? 0 : tree.value("pages.hold", d.holdBytes(), SettingText::size),
                d.life());
    }

    /** @param inside where no server is named, the proxy in this process caches the prefix */
    private static @Nullable Serve serve(SettingTree one, boolean inside) {
        UrlPrefix prefix = one.optional("prefix", UrlPrefix::parse);
        InetSocketAddress server = one.optional("server", text -> unresolved(text, 80));
        int weight = one.value("weight", 1, SettingText::integer);
        int capacity = one.value("capacity", 64, SettingText::integer);
        boolean cache = one.value("cache", false, SettingText::truth);
        String content = one.value("content", "", text -> text);
        one.refuseUnknown();
        one.require("prefix", "HOST/PATH, or */PATH for every host");
        boolean here = inside && cache && one.text("server") == null;
        if (!here) {
            one.require(
                    "server",
                    inside
                            ? "HOST:PORT of the server that serves it, or cache: true for this proxy"
                            : "HOST:PORT of the server that serves it");
        }
        if (prefix == null || server == null && !here) {
            return null;
        }
        try {
            return new Serve(
                    new ServedRoute(prefix, weight, capacity, cache, content),
                    server == null ? "" : server.getHostString(),
                    server == null ? 0 : server.getPort());
        } catch (IllegalArgumentException e) {
            one.problem(String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static @Nullable Entry entry(SettingTree one) {
        Protocol protocol = one.optional("protocol", Protocol::parse);
        InetSocketAddress listen = one.optional("listen", OrganizerSettings::entryAddress);
        String service = one.optional("service", text -> text.toLowerCase(Locale.ROOT));
        PortRange dataPorts = one.value("data-ports", PortRange.ANY, PortRange::parse);
        one.refuseUnknown();
        one.require("protocol", "tcp, tls, ftp or iiop");
        one.require("listen", "the ADDRESS:PORT where its clients come in");
        one.require("service", "NAME:PORT as somebody serves it; of tls *:PORT");
        if (protocol == null || listen == null || service == null) {
            return null;
        }
        try {
            return new Entry(protocol, listen, service, dataPorts);
        } catch (IllegalArgumentException e) {
            one.problem(String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static InetSocketAddress entryAddress(String text) {
        if (!text.matches(".*:[0-9]{1,5}")) {
            throw new IllegalArgumentException(text + " (expected: ADDRESS:PORT)");
        }
        return address(text, FRONT_PORT);
    }

    private static @Nullable InetSocketAddress front(String text, List<String> problems) {
        if (text.equals("none")) {
            return null;
        }
        try {
            return address(text, FRONT_PORT);
        } catch (IllegalArgumentException e) {
            problems.add("front.listen: " + e.getMessage());
            return null;
        }
    }

    private static @Nullable ControlSettings control(String text, @Nullable Path tokens, List<String> problems) {
        if (text.equals("none")) {
            return null;
        }
        try {
            return new ControlSettings(address(text, 7692), tokens, false);
        } catch (IllegalArgumentException e) {
            problems.add("control.listen: " + e.getMessage());
            return null;
        }
    }

    private static @Nullable MemberId ownName(List<String> problems) {
        String name = "";
        try {
            name = InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT);
            int dot = name.indexOf('.');
            return new MemberId(dot < 0 ? name : name.substring(0, dot));
        } catch (UnknownHostException | IllegalArgumentException e) {
            problems.add("member: none, and the host's name does not serve: " + name
                    + " (expected: 1 to 63 of a-z, 0-9, and hyphens inside)");
            return null;
        }
    }

    /** @throws IllegalArgumentException naming the text and what was expected */
    static InetSocketAddress address(String text, int port) {
        InetSocketAddress read = unresolved(text, port);
        InetSocketAddress found = new InetSocketAddress(read.getHostString(), read.getPort());
        if (found.isUnresolved()) {
            throw new IllegalArgumentException(text + " (expected: ADDRESS[:PORT], or a name that resolves)");
        }
        return found;
    }

    private static InetSocketAddress unresolved(String text, int port) {
        String host = text;
        int number = port;
        int colon = text.lastIndexOf(':');
        boolean bareAddress = text.indexOf(':') != colon && !text.startsWith("[");
        if (colon > text.lastIndexOf(']') && !bareAddress) {
            host = text.substring(0, colon);
            try {
                number = Integer.parseInt(text.substring(colon + 1));
            } catch (NumberFormatException e) {
                number = 0;
            }
        }
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        if (host.isEmpty() || number < 1 || number > 65_535) {
            throw new IllegalArgumentException(text + " (expected: HOST[:PORT])");
        }
        return InetSocketAddress.createUnresolved(host, number);
    }
}
