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
 * The options of {@code load}, and the {@link LoadPlan} that results from them, or all errors at
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
                    "File of the permitted targets besides loopback, one a line (default: KOMAINU_LOAD_TARGETS, else"
                            + " ~/.config/komainu/load-targets)")
    @Nullable
    Path allow;

    @Option(
            names = "--phases",
            paramLabel = "[NAME:]RATExSECONDS,…",
            description = "Visitors a second, by steps; FROM-TOxSECONDS is a ramp")
    @Nullable
    String phases;

    @Option(
            names = "--population",
            paramLabel = "COUNT",
            description =
                    "Instead of --phases: a fixed number of visitors that view page after page")
    int population;

    @Option(names = "--seconds", description = "With --population: duration (${DEFAULT-VALUE})")
    int seconds = 60;

    @Option(
            names = "--even",
            description = "Even intervals between visitors instead of a Poisson process")
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

    @Option(names = "--insecure", description = "Accept any certificate of the target")
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
            description = "Pages, one a line: a path, then its embedded objects")
    @Nullable
    Path urls;

    @Option(
            names = "--pages",
            paramLabel = "COUNT",
            description = "Instead of --urls: COUNT pages /page/N.html")
    int pages;

    @Option(
            names = "--hit-ratio",
            description =
                    "Without --urls and --pages: objects of \"load origin\"; hit ratio of a perfect cache (${DEFAULT-VALUE})")
    double hitRatio = 0.55;

    @Option(
            names = "--cachable",
            description = "Share of these objects that may be cached (${DEFAULT-VALUE})")
    double cachable = 0.8;

    @Option(
            names = "--sizes",
            description =
                    "Sizes of these objects: exponential:BYTES, fixed:BYTES, surge or organizer (${DEFAULT-VALUE})")
    String sizes = "exponential:10240";

    @Option(
            names = "--sites",
            description =
                    "Number of servers of these objects, each below /site/N (${DEFAULT-VALUE}: one, without this prefix)")
    int sites;

    @Option(
            names = "--embedded",
            description = "Mean number of a page's objects besides its document (${DEFAULT-VALUE})")
    double embedded;

    @Option(names = "--zipf", description = "Exponent of popularity, 0 to 0.95 (${DEFAULT-VALUE})")
    double zipf = 0.7;

    @Option(names = "--views", description = "Mean number of pages of a visit (${DEFAULT-VALUE})")
    double views = 1;

    @Option(names = "--think", description = "Mean seconds between two pages (${DEFAULT-VALUE})")
    double thinkSeconds = 3;

    @Option(
            names = "--linger",
            description =
                    "Seconds for which a visitor's connections stay open after the last page (${DEFAULT-VALUE})")
    double lingerSeconds;

    @Option(
            names = "--patience",
            description =
                    "Timeout in seconds from the instant of a request to its last byte (${DEFAULT-VALUE})")
    double patienceSeconds = 30;

    @Option(
            names = "--insist",
            description =
                    "Seconds after which a request answered by 503 is retried, within --patience; 0: never (${DEFAULT-VALUE})")
    double insistSeconds;

    @Option(
            names = "--crowd",
            description =
                    "Limit of simultaneous visitors; more are not sent, but counted (${DEFAULT-VALUE})")
    int crowd = 20_000;

    @Option(names = "--threads", description = "Number of event loops (${DEFAULT-VALUE})")
    int threads = 1;

    @Option(
            names = "--seed",
            description =
                    "Random seed: the same seed generates the same visitors (${DEFAULT-VALUE})")
    long seed = 1;

    /**
     * Returns the plan.
     *
     * @throws IllegalArgumentException with every error, one a line
     */
    LoadPlan plan() {
        List<String> problems = new ArrayList<>();
        check(problems);
        BrowserProtocol version = attempt(problems, "--http: ", () -> BrowserProtocol.parse(http));
        LoadPhases loadPhases =
                phases == null && population == 0 ? null : attempt(problems, "", this::phases);
        String range = from;
        VisitorAddresses addresses =
                range == null ? null : attempt(problems, "", () -> VisitorAddresses.parse(range));
        ObjectSizes objectSizes = attempt(problems, "", () -> ObjectSizes.parse(sizes));
        Path pageFile = urls;
        List<String> lines =
                pageFile == null ? null : attempt(problems, "", () -> lines("--urls", pageFile));
        UrlList list = lines == null || zipf < 0 || zipf > 0.95
                ? null
                : attempt(problems, "", () -> UrlList.parse(lines, zipf, new Random(seed + 1)));
        Address address = attempt(problems, "", this::address);
        SslContext tls = address == null || !address.secure() || version == null
                ? null
                : attempt(problems, "", () -> tls(version));
        if (!problems.isEmpty()
                || version == null
                || loadPhases == null
                || objectSizes == null
                || address == null) {
            throw new IllegalArgumentException(String.join(System.lineSeparator(), problems));
        }
        ClientProfile profile = new ClientProfile(
                address.socket(),
                address.authority(),
                version,
                parallel > 0 ? parallel : version.usualParallel(),
                Duration.ofMillis((long) (patienceSeconds * 1_000)),
                Duration.ofMillis((long) (insistSeconds * 1_000)),
                Duration.ofMillis((long) (lingerSeconds * 1_000)),
                tls);
        return new LoadPlan(
                profile,
                loadPhases,
                even,
                population,
                addresses,
                PageRequestSource.shared(list != null ? list : pages(objectSizes)),
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

    private PageRequestSource pages(ObjectSizes objectSizes) {
        RequestSource objects = pages > 0
                ? new ZipfPages("/page/%d.html", pages, zipf, new Random(seed + 1))
                : new RecurringObjects(
                        hitRatio, cachable, objectSizes, zipf, new Random(seed + 1), sites);
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
                            + "; a load on a server of another owner is an attack)");
        }
        boolean standardPort = port == (secure ? 443 : 80);
        return new Address(
                new InetSocketAddress(address, port),
                standardPort ? host : host + ":" + port,
                secure);
    }

    private Path allowFile() {
        if (allow != null) {
            return allow;
        }
        String environment = System.getenv("KOMAINU_LOAD_TARGETS");
        return environment != null && !environment.isEmpty()
                ? Path.of(environment)
                : Path.of(
                        System.getProperty("user.home", "."), ".config", "komainu", "load-targets");
    }

    private SslContext tls(BrowserProtocol version) {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        version == BrowserProtocol.HTTP_2
                                ? ApplicationProtocolNames.HTTP_2
                                : ApplicationProtocolNames.HTTP_1_1));
        if (insecure) {
            builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
        }
        try {
            return builder.build();
        } catch (SSLException e) {
            throw new IllegalArgumentException(
                    "--target: " + target + " (TLS is not available: " + e.getMessage() + ")", e);
        }
    }

    private static List<String> lines(String option, Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    option + ": " + file + " (expected: a readable text file)", e);
        }
    }

    private interface Attempt<T> {
        T get();
    }

    private static <T> @Nullable T attempt(
            List<String> problems, String option, Attempt<T> parsing) {
        try {
            return parsing.get();
        } catch (IllegalArgumentException e) {
            problems.add(option + e.getMessage());
            return null;
        }
    }

    private void check(List<String> problems) {
        if ((phases == null) == (population == 0)) {
            problems.add("--phases, --population: " + (phases == null ? "neither" : "both")
                    + " (expected: one of the two)");
        }
        if (urls != null && pages > 0) {
            problems.add("--urls, --pages: both (expected: at most one of the two)");
        }
        within(problems, "--population", population, 0, 50_000);
        within(problems, "--seconds", seconds, 1, 604_800);
        within(problems, "--parallel", parallel, 0, 100);
        within(problems, "--pages", pages, 0, 10_000_000);
        within(problems, "--cachable", cachable, 0.001, 1);
        within(problems, "--hit-ratio", hitRatio, 0, Math.max(0, cachable));
        within(problems, "--sites", sites, 0, 10_000);
        within(problems, "--embedded", embedded, 0, 100);
        within(problems, "--zipf", zipf, 0, 0.95);
        within(problems, "--views", views, 1, 1_000);
        within(problems, "--think", thinkSeconds, 0, 3_600);
        within(problems, "--linger", lingerSeconds, 0, 3_600);
        within(problems, "--patience", patienceSeconds, 0.01, 3_600);
        within(problems, "--insist", insistSeconds, 0, 3_600);
        within(problems, "--crowd", crowd, 1, 50_000);
        within(problems, "--threads", threads, 1, 64);
    }

    private static void within(
            List<String> problems, String option, double value, double min, double max) {
        if (!(value >= min && value <= max)) {
            problems.add(option + ": " + number(value) + " (expected: " + number(min) + " to "
                    + number(max) + ")");
        }
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
