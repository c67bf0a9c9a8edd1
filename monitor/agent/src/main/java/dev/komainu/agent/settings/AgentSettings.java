package dev.komainu.agent.settings;

import dev.komainu.agent.connection.exchange.PrivacyRules;
import dev.komainu.agent.evidence.EvidenceSettings;
import dev.komainu.agent.host.HostSettings;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.telemetry.identity.CentralAddresses;
import dev.komainu.telemetry.identity.EnrolmentCode;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.PartNames;
import dev.komainu.telemetry.record.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The agent's settings. {@code docs/configuration/agent.md} lists every key with unit, range,
 * default and effect, generated from the declarations.
 *
 * @param node this host's name in every record
 * @param interfaces to capture on; empty: loopback and the default route's
 * @param ports watch exactly these; empty: what is discovered
 * @param alsoPorts watch these too, besides what is discovered
 * @param services servers elsewhere whose traffic passes here
 * @param print records as JSON lines on standard output
 * @param mode which halves run
 * @param central where to report: as given, or as the identity or the enrolment code says; absent:
 *     nowhere
 * @param enrolmentCode how to get an identity; absent: only an existing one is used
 * @param tokenFile holds the bearer token
 * @param authorityFile authorities of the central service's certificate; absent: Java's own
 * @param data directory of the spool
 * @param metrics where Prometheus may read the agent's figures; absent: nowhere
 * @param snaplen bytes kept of each packet
 * @param bufferBytes size of the kernel's rings, all interfaces and threads together
 * @param captureThreads that share the connections
 * @param host the pace of host samples
 * @param discoveryInterval between two looks for servers
 * @param privacy what of clients and targets records may show
 * @param printWindow length of the windows printed; the central service always gets seconds
 * @param evidence where the headers of recent packets are kept; absent: nowhere
 * @param outside access logs, and the origin sides of proxies
 * @param changes whether orders of the central service are carried out
 * @param labels labels of the services of this host
 */
public record AgentSettings(
        String node,
        List<String> interfaces,
        Set<Integer> ports,
        Set<Integer> alsoPorts,
        List<Endpoint> services,
        boolean print,
        Mode mode,
        @Nullable CentralAddresses central,
        @Nullable EnrolmentCode enrolmentCode,
        @Nullable Path tokenFile,
        @Nullable Path authorityFile,
        Path data,
        @Nullable InetSocketAddress metrics,
        int snaplen,
        int bufferBytes,
        int captureThreads,
        HostSettings host,
        Duration discoveryInterval,
        PrivacyRules privacy,
        Duration printWindow,
        @Nullable EvidenceSettings evidence,
        OutsideSettings outside,
        ChangeSettings changes,
        LabelSettings labels) {

    /** The halves of the agent that run. */
    public enum Mode {
        /** ENMA and rep2. */
        BOTH,
        /** rep2 alone: no packet is read. */
        HOST_ONLY,
        /** ENMA alone, for a probe at a mirror port. */
        CAPTURE_ONLY
    }

    private static final String PREFIX = "KOMAINU_AGENT_";

    static final Setting<String> NODE = Setting.text(
                    "node",
                    "1 to 63 letters, digits, dots, hyphens or underscores",
                    "[A-Za-z0-9]([A-Za-z0-9._-]{0,62})")
            .byDefaultOf("host name")
            .option("--node")
            .label("NAME")
            .effect("Name of this host; services are called `NODE:PORT`");

    static final Setting<Mode> MODE = Setting.choice("mode", Mode.class)
            .byDefault("both")
            .option("--host-only", "--capture-only")
            .effect("Parts that run: packet capture, host samples, or both")
            .detail("""
                    `host-only` reads no packets. `capture-only` takes no host samples; use it for
                    a probe at a mirror port.""");

    static final Setting<List<String>> INTERFACES = Setting.text("interfaces", "names")
            .option("--interface")
            .label("NAME")
            .words()
            .byDefaultOf("loopback and the default route's")
            .effect("Interfaces whose packets are read");

    static final Setting<List<Integer>> PORTS = Setting.integer("ports", 1, 65_535)
            .option("--port")
            .words()
            .byDefaultOf("what is found")
            .effect("Ports to monitor, in place of the discovered ones");

    static final Setting<List<Integer>> ALSO_PORTS = Setting.integer("also-ports", 1, 65_535)
            .option("--also-port")
            .words()
            .effect("Ports to monitor in addition to the discovered ones");

    static final Setting<List<Endpoint>> SERVICES = OutsideSettings.endpoint("services")
            .option("--service")
            .words()
            .effect("Servers on other hosts whose traffic passes this host");

    static final Setting<Boolean> PRINT = Setting.truth("print")
            .byDefault("false")
            .option("--print")
            .effect("Whether records are printed as JSON lines on standard output");

    static final Setting<CentralAddresses> CENTRAL_URL = Setting.of(
                    "central.url", CentralAddresses.FORM, CentralAddresses::parse)
            .option("--central")
            .label("URL")
            .severalTimes()
            .effect("Addresses of the central service that receives the records")
            .detail("""
                    See [Two central services](../operations.md#two-central-services).""");

    static final Setting<EnrolmentCode> ENROLMENT_CODE = Setting.of(
                    "central.enrolment-code", EnrolmentCode.FORM, EnrolmentCode::parse)
            .option("--enrol")
            .label("CODE")
            .effect("One-time code with which this part gets its identity")
            .detail("""
                    See [Enrolment](#enrolment).""");

    static final Setting<Path> TOKEN_FILE = Setting.path(
                    "central.token-file", "a readable file holding the token")
            .that(Files::isReadable)
            .option("--token-file")
            .effect("File with a token of scope `ingest`; not needed with an identity");

    static final Setting<Path> AUTHORITY_FILE = Setting.path(
                    "central.authority-file", "a readable PEM file")
            .that(Files::isReadable)
            .option("--authority-file")
            .effect("Authorities of which the central service's certificate must be")
            .detail("""
                    Needed with `https` when the central service issues its own certificate: a copy
                    of its `authority/authority.pem`. Without it, the authorities of the Java runtime
                    count. A changed file is read again.""");

    static final Setting<Path> DATA = Setting.path("data", "a directory")
            .byDefault("data/agent")
            .option("--data")
            .effect("Directory of records that cannot be sent yet");

    static final Setting<InetSocketAddress> METRICS_LISTEN = Setting.address("metrics.listen")
            .range("ADDRESS:PORT of loopback")
            .that(address -> address.getAddress().isLoopbackAddress())
            .option("--metrics")
            .effect("Address where Prometheus reads the agent's own figures")
            .detail("""
                    `GET /metrics` answers in Prometheus' text format, without a token. Every user
                    of this host can read it, and no other host. Without it, the central service
                    publishes the same figures (`komainu_source_…`).""");

    /**
     * 1,024 bytes: an HTTP request's first line and most whole heads, and a TLS ClientHello of up
     * to about 900 bytes with its server name, while the body of large answers is not copied.
     * Longer heads are counted, their target is absent.
     */
    static final Setting<Integer> SNAPLEN = Setting.integer("capture.snaplen", 96, 65_535)
            .range("96 to 65,535 bytes")
            .byDefault("1024")
            .option("--snaplen")
            .label("BYTES")
            .effect("Bytes kept of each packet");

    static final Setting<Long> BUFFER = Setting.size("capture.buffer", "1MB", "1GB")
            .byDefault("64MB")
            .option("--buffer")
            .effect("Size of the kernel's ring, shared by the interfaces and threads");

    /**
     * Each has its share of the ring and of the memory for connections; more make shares too small.
     */
    static final Setting<Integer> THREADS = Setting.integer("capture.threads", 1, 8)
            .byDefault("1")
            .option("--capture-threads")
            .effect("Threads that read packets, each for a share of the connections");

    static final Setting<Duration> WINDOW = Setting.duration("capture.window", "1s", "60s")
            .range("1s to 60s, whole seconds")
            .that(window -> window.toMillis() % 1_000 == 0)
            .byDefault("1s")
            .option("--window")
            .effect("Length of the windows that `--print` shows")
            .detail("""
                    The central service always receives windows of one second and aggregates them
                    itself.""");

    static final Setting<Duration> DISCOVERY_INTERVAL = Setting.duration(
                    "discovery.interval", "1s", "1m")
            .byDefault("10s")
            .effect("Time between two checks of the listening sockets");

    public AgentSettings {
        interfaces = List.copyOf(interfaces);
        ports = Set.copyOf(ports);
        alsoPorts = Set.copyOf(alsoPorts);
        services = List.copyOf(services);
    }

    /**
     * The environment as a place of settings. An unknown variable that only the agent can mean is a
     * mistake.
     */
    public static SettingSource environment(Map<String, String> variables) {
        return SettingSource.environment(
                variables, AgentSettings::variables, Set.of(PREFIX, "KOMAINU_CENTRAL_"));
    }

    /**
     * The variables of a key. Other programs read the address of the central service from the first
     * one.
     */
    private static List<String> variables(String key) {
        String own = SettingSource.variable(PREFIX, key);
        return key.startsWith("central.")
                ? List.of(SettingSource.variable("KOMAINU_", key), own)
                : List.of(own);
    }

    /**
     * Reads all settings.
     *
     * @param hostName used where no node is given
     * @throws SettingMistakesException telling every mistake
     */
    public static AgentSettings read(SettingReader reader, String hostName)
            throws SettingMistakesException {
        Mode mode = reader.get(MODE);
        CentralAddresses given = reader.find(CENTRAL_URL);
        EnrolmentCode code = reader.find(ENROLMENT_CODE);
        Path data = reader.get(DATA);
        URI enrolled = enrolled(reader, data, code);
        CentralAddresses central = CentralAddresses.givenOr(given, enrolled);
        PrivacyRules privacy = PrivacyRules.read(reader);
        AgentSettings settings = new AgentSettings(
                reader.get(NODE, hostName),
                reader.get(INTERFACES, List.of()),
                Set.copyOf(reader.get(PORTS, List.of())),
                Set.copyOf(reader.get(ALSO_PORTS, List.of())),
                reader.get(SERVICES, List.of()),
                reader.get(PRINT),
                mode,
                central,
                code,
                reader.find(TOKEN_FILE),
                reader.find(AUTHORITY_FILE),
                data,
                reader.find(METRICS_LISTEN),
                reader.get(SNAPLEN),
                reader.get(BUFFER).intValue(),
                reader.get(THREADS),
                HostSettings.read(reader),
                reader.get(DISCOVERY_INTERVAL),
                privacy,
                reader.get(WINDOW),
                EvidenceSettings.read(reader, privacy.maskClients()),
                OutsideSettings.read(reader),
                ChangeSettings.read(reader, central, mode),
                LabelSettings.read(reader));
        if (enrolled == null && !reader.isGiven(ENROLMENT_CODE)) {
            if (reader.isGiven(CENTRAL_URL)) {
                reader.require(
                        TOKEN_FILE,
                        "--enrol CODE, or a file holding a token with scope ingest, since"
                                + " central.url is given");
            } else if (!settings.print()) {
                reader.require(
                        CENTRAL_URL,
                        "where to report, --enrol CODE, or --print to see the records here");
            }
        }
        reader.refuseUnknown();
        reader.finish();
        return settings;
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

    public boolean captures() {
        return mode != Mode.HOST_ONLY;
    }

    public boolean samplesHost() {
        return mode != Mode.CAPTURE_ONLY;
    }

    /** Returns the names in which this agent reports. */
    public PartNames names() {
        return new PartNames(
                samplesHost() ? PartNames.Kind.AGENT : PartNames.Kind.PROBE, "agent@" + node, node);
    }
}
