package dev.komainu.load;

import dev.komainu.load.browser.BrowserProtocol;
import dev.komainu.load.browser.ClientProfile;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * What {@code load} can be told, and the {@link LoadPlan} that comes of it, or all mistakes at
 * once.
 */
final class LoadOptions {

    private static final Pattern TARGET =
            Pattern.compile("(?:(https?)://)?(\\[[0-9a-fA-F:.]+]|[^:/\\s]+)(?::([0-9]{1,5}))?/?");

    @Option(
            names = "--target",
            required = true,
            paramLabel = "URL",
            description = "http://HOST:PORT or https://HOST:PORT")
    String target = "";

    @Option(
            names = "--allow",
            paramLabel = "FILE",
            description =
                    "Who may be a target besides loopback, a line each (default: KOMAINU_LOAD_TARGETS, else"
                            + " ~/.config/komainu/load-targets)")
    @Nullable
    Path allow;

    @Option(
            names = "--phases",
            paramLabel = "[NAME:]RATExSECONDS,…",
            description = "Visitors a second, step after step; FROM-TOxSECONDS is a ramp")
    @Nullable
    String phases;

    @Option(
            names = "--population",
            paramLabel = "COUNT",
            description = "Instead of --phases: so many visitors who look at page after page")
    int population;

    @Option(names = "--seconds", description = "With --population: how long (${DEFAULT-VALUE})")
    int seconds = 60;

    @Option(
            names = "--even",
            description = "Even distances between visitors instead of a Poisson process")
    boolean even;

    @Option(
            names = "--http",
            paramLabel = "VERSION",
            description = "1.0, 1.1 or 2 (${DEFAULT-VALUE})")
    String http = "1.1";

    @Option(
            names = "--parallel",
            description = "Connections of one visitor (default: 4 in HTTP/1.0, 6 in 1.1, 1 in 2)")
    int parallel;

    @Option(names = "--insecure", description = "Whatever certificate the target shows")
    boolean insecure;

    @Option(
            names = "--from",
            paramLabel = "A.B.C.D+COUNT",
            description = "The visitors' addresses; on loopback any of 127.0.0.0/8")
    @Nullable
    String from;

    @Option(
            names = "--urls",
            paramLabel = "FILE",
            description = "Pages, a line each: path, then its embedded objects")
    @Nullable
    Path urls;

    @Option(
            names = "--pages",
            paramLabel = "COUNT",
            description = "Instead: COUNT pages /page/N.html")
    int pages;

    @Option(
            names = "--hit-ratio",
            description =
                    "Else objects of \"load origin\": what a perfect cache answers (${DEFAULT-VALUE})")
    double hitRatio = 0.55;

    @Option(names = "--cachable", description = "… share that may be kept (${DEFAULT-VALUE})")
    double cachable = 0.8;

    @Option(
            names = "--sizes",
            description = "… exponential:BYTES, fixed:BYTES, surge or organizer (${DEFAULT-VALUE})")
    String sizes = "exponential:10240";

    @Option(
            names = "--sites",
            description =
                    "… spread over so many servers, each below /site/N (${DEFAULT-VALUE}: one, as it is)")
    int sites;

    @Option(
            names = "--embedded",
            description = "… mean objects in a page beside its document (${DEFAULT-VALUE})")
    double embedded;

    @Option(names = "--zipf", description = "Exponent of popularity, 0 to 0.95 (${DEFAULT-VALUE})")
    double zipf = 0.7;

    @Option(names = "--views", description = "Mean pages of a visit (${DEFAULT-VALUE})")
    double views = 1;

    @Option(names = "--think", description = "Mean seconds between two pages (${DEFAULT-VALUE})")
    double thinkSeconds = 3;

    @Option(
            names = "--linger",
            description =
                    "Seconds a visitor's connections are kept after the last page (${DEFAULT-VALUE})")
    double lingerSeconds;

    @Option(
            names = "--patience",
            description = "Seconds from a wish to its last byte (${DEFAULT-VALUE})")
    double patienceSeconds = 30;

    @Option(
            names = "--insist",
            description =
                    "Seconds after which a visitor who is told 503 asks again, within his patience; 0: never (${DEFAULT-VALUE})")
    double insistSeconds;

    @Option(
            names = "--crowd",
            description =
                    "Most visitors at once; more are not sent, and counted (${DEFAULT-VALUE})")
    int crowd = 20_000;

    @Option(names = "--threads", description = "Event loops of the load (${DEFAULT-VALUE})")
    int threads = 1;

    @Option(names = "--seed", description = "Same seed, same visitors (${DEFAULT-VALUE})")
    long seed = 1;

    /** @throws IllegalArgumentException tells every mistake, a line each */
    LoadPlan plan() {
        List<String> mistakes = new ArrayList<>();
        check(mistakes);
        BrowserProtocol version = tried(mistakes, "--http: ", () -> BrowserProtocol.parse(http));
        LoadPhases steps =
                phases == null && population == 0 ? null : tried(mistakes, "", this::phases);
        String range = from;
        VisitorAddresses addresses =
                range == null ? null : tried(mistakes, "", () -> VisitorAddresses.parse(range));
        ObjectSizes bodies = tried(mistakes, "", () -> ObjectSizes.parse(sizes));
        Path pageFile = urls;
        List<String> lines =
                pageFile == null ? null : tried(mistakes, "", () -> lines("--urls", pageFile));
        UrlList list = lines == null || zipf < 0 || zipf > 0.95
                ? null
                : tried(mistakes, "", () -> UrlList.parse(lines, zipf, new Random(seed + 1)));
        Address address = tried(mistakes, "", this::address);
        SslContext tls = address == null || !address.secure() || version == null
                ? null
                : tried(mistakes, "", () -> tls(version));
        if (!mistakes.isEmpty()
                || version == null
                || steps == null
                || bodies == null
                || address == null) {
            throw new IllegalArgumentException(String.join(System.lineSeparator(), mistakes));
        }
        ClientProfile manner = new ClientProfile(
                address.socket(),
                address.authority(),
                version,
                parallel > 0 ? parallel : version.usualParallel(),
                Duration.ofMillis((long) (patienceSeconds * 1_000)),
                Duration.ofMillis((long) (insistSeconds * 1_000)),
                Duration.ofMillis((long) (lingerSeconds * 1_000)),
                tls);
        return new LoadPlan(
                manner,
                steps,
                even,
                population,
                addresses,
                PageRequestSource.shared(list != null ? list : pages(bodies)),
                new VisitModel(views, thinkSeconds),
                crowd,
                threads,
                seed);
    }

    private LoadPhases phases() {
        if (population > 0) {
            return new LoadPhases(
                    List.of(new LoadPhases.Phase("all", population, population, seconds)));
        }
        return LoadPhases.parse(phases == null ? "" : phases);
    }

    private PageRequestSource pages(ObjectSizes bodies) {
        RequestSource objects = pages > 0
                ? new ZipfPages("/page/%d.html", pages, zipf, new Random(seed + 1))
                : new RecurringObjects(
                        hitRatio, cachable, bodies, zipf, new Random(seed + 1), sites);
        return new EmbeddedPages(objects, embedded, new Random(seed + 3));
    }

    private record Address(InetSocketAddress socket, String authority, boolean secure) {}

    private Address address() {
        Matcher parts = TARGET.matcher(target);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "--target: " + target + " (expected: http://HOST:PORT or https://HOST:PORT)");
        }
        boolean secure = "https".equals(parts.group(1));
        String host = parts.group(2);
        int port = parts.group(3) == null ? secure ? 443 : 80 : Integer.parseInt(parts.group(3));
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException(
                    "--target: " + target + " (expected: a port of 1 to 65535)");
        }
        InetAddress address;
        try {
            address = InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(
                    "--target: " + target + " (expected: a host that can be resolved)", e);
        }
        Path file = allowFile();
        AllowedTargets allowed = Files.exists(file)
                ? AllowedTargets.parse(lines("--allow", file))
                : AllowedTargets.none();
        if (!allowed.allows(host, address, port)) {
            throw new IllegalArgumentException(
                    "--target: " + target + " (expected: loopback, or a target named in " + file
                            + "; a load on somebody else's server is an attack)");
        }
        boolean usual = port == (secure ? 443 : 80);
        return new Address(
                new InetSocketAddress(address, port), usual ? host : host + ":" + port, secure);
    }

    private Path allowFile() {
        if (allow != null) {
            return allow;
        }
        String told = System.getenv("KOMAINU_LOAD_TARGETS");
        return told != null && !told.isEmpty()
                ? Path.of(told)
                : Path.of(
                        System.getProperty("user.home", "."), ".config", "komainu", "load-targets");
    }

    private SslContext tls(BrowserProtocol version) {
        SslContextBuilder building = SslContextBuilder.forClient()
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        version == BrowserProtocol.HTTP_2
                                ? ApplicationProtocolNames.HTTP_2
                                : ApplicationProtocolNames.HTTP_1_1));
        if (insecure) {
            building.trustManager(InsecureTrustManagerFactory.INSTANCE);
        }
        try {
            return building.build();
        } catch (SSLException e) {
            throw new IllegalArgumentException(
                    "--target: " + target + " (no TLS here: " + e.getMessage() + ")", e);
        }
    }

    private static List<String> lines(String option, Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    option + ": " + file + " (expected: a file of text that can be read)", e);
        }
    }

    private interface Attempt<T> {
        T get();
    }

    private static <T> @Nullable T tried(List<String> mistakes, String option, Attempt<T> attempt) {
        try {
            return attempt.get();
        } catch (IllegalArgumentException e) {
            mistakes.add(option + e.getMessage());
            return null;
        }
    }

    private void check(List<String> mistakes) {
        if ((phases == null) == (population == 0)) {
            mistakes.add("--phases, --population: " + (phases == null ? "none of them" : "both")
                    + " (expected: one of the two)");
        }
        if (urls != null && pages > 0) {
            mistakes.add("--urls, --pages: both (expected: one of the two at most)");
        }
        within(mistakes, "--population", population, 0, 50_000);
        within(mistakes, "--seconds", seconds, 1, 604_800);
        within(mistakes, "--parallel", parallel, 0, 100);
        within(mistakes, "--pages", pages, 0, 10_000_000);
        within(mistakes, "--cachable", cachable, 0.001, 1);
        within(mistakes, "--hit-ratio", hitRatio, 0, Math.max(0, cachable));
        within(mistakes, "--sites", sites, 0, 10_000);
        within(mistakes, "--embedded", embedded, 0, 100);
        within(mistakes, "--zipf", zipf, 0, 0.95);
        within(mistakes, "--views", views, 1, 1_000);
        within(mistakes, "--think", thinkSeconds, 0, 3_600);
        within(mistakes, "--linger", lingerSeconds, 0, 3_600);
        within(mistakes, "--patience", patienceSeconds, 0.01, 3_600);
        within(mistakes, "--insist", insistSeconds, 0, 3_600);
        within(mistakes, "--crowd", crowd, 1, 50_000);
        within(mistakes, "--threads", threads, 1, 64);
    }

    private static void within(
            List<String> mistakes, String option, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            mistakes.add(option + ": " + number(value) + " (expected: " + number(least) + " to "
                    + number(most) + ")");
        }
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
