package dev.komainu.agent.settings;

import dev.komainu.agent.connection.exchange.Privacy;
import dev.komainu.agent.evidence.EvidenceConfig;
import dev.komainu.agent.host.HostSettings;
import dev.komainu.agent.settings.AgentSettings.Mode;
import dev.komainu.settings.EffectiveSetting;
import dev.komainu.settings.SettingText;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.wire.SignedOrder;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Lays command line, environment and file over each other and checks the outcome; tells all mistakes together. */
public final class AgentSettingsReader {

    private static final String PREFIX = "KOMAINU_AGENT_";
    private static final String SHARED_PREFIX = "KOMAINU_CENTRAL_";
    private static final Pattern NODE = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,62})");

    /** Every key there is, in the order of the documentation. */
    public static final Set<String> KEYS = new LinkedHashSet<>(List.of(
            "node",
            "mode",
            "interfaces",
            "ports",
            "also-ports",
            "services",
            "print",
            "data",
            "capture.snaplen",
            "capture.buffer",
            "capture.threads",
            "capture.window",
            "privacy.mask-clients",
            "privacy.targets",
            "host.interval",
            "host.doubt-interval",
            "host.doubt",
            "host.system-calls",
            "host.yield",
            "discovery.interval",
            "access-log",
            "origin-sides",
            "dump.file",
            "dump.size",
            "dump.payload",
            "central.url",
            "central.token-file",
            "changes.allow"));

    private final Map<String, Given> values = new HashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final Map<String, Object> defaults = new HashMap<>();

    private AgentSettingsReader() {}

    /**
     * @param options by key, as given on the command line
     * @param environment of this process
     * @param file may be absent
     * @param hostName used where no node is given
     * @throws SettingsException telling every mistake
     */
    public static AgentSettings read(
            Map<String, String> options, Map<String, String> environment, @Nullable Path file, String hostName)
            throws SettingsException {
        return new AgentSettingsReader().readAll(options, environment, file, hostName);
    }

    /**
     * Every setting there is, as it holds. Parameters as of {@link #read}.
     *
     * @throws SettingsException telling every mistake
     */
    public static List<EffectiveSetting> effective(
            Map<String, String> options, Map<String, String> environment, @Nullable Path file, String hostName)
            throws SettingsException {
        AgentSettingsReader reader = new AgentSettingsReader();
        reader.readAll(options, environment, file, hostName);
        return new TreeSet<>(KEYS).stream().map(reader::effective).toList();
    }

    private EffectiveSetting effective(String key) {
        Given given = values.get(key);
        return given == null
                ? EffectiveSetting.byDefault(key, defaults.get(key))
                : new EffectiveSetting(key, given.text(), given.place());
    }

    private AgentSettings readAll(
            Map<String, String> options, Map<String, String> environment, @Nullable Path file, String hostName)
            throws SettingsException {
        if (file != null) {
            SettingsFile.read(file, values, problems);
        }
        takeEnvironment(environment);
        options.forEach((key, value) -> values.put(key, new Given(value, "--" + optionName(key))));
        refuseUnknown();
        AgentSettings settings = check(hostName);
        if (settings == null || !problems.isEmpty()) {
            throw new SettingsException(problems);
        }
        return settings;
    }

    private static String optionName(String key) {
        return switch (key) {
            case "interfaces" -> "interface";
            case "ports" -> "port";
            case "also-ports" -> "also-port";
            case "services" -> "service";
            case "origin-sides" -> "origin-side";
            case "central.url" -> "central";
            case "capture.snaplen" -> "snaplen";
            case "capture.buffer" -> "buffer";
            case "capture.threads" -> "capture-threads";
            case "capture.window" -> "window";
            case "dump.file" -> "dump";
            case "dump.size" -> "dump-size";
            case "dump.payload" -> "dump-payload";
            case "changes.allow" -> "allow-changes";
            default -> key.substring(key.indexOf('.') + 1);
        };
    }

    private void takeEnvironment(Map<String, String> environment) {
        Map<String, String> keyOf = new HashMap<>();
        for (String key : KEYS) {
            String name = key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
            keyOf.put(PREFIX + name, key);
            if (key.startsWith("central.")) {
                keyOf.put("KOMAINU_" + name, key);
            }
        }
        new TreeSet<>(environment.keySet()).forEach(name -> {
            String key = keyOf.get(name);
            if (key != null) {
                values.put(key, new Given(environment.getOrDefault(name, ""), "$" + name));
            } else if (name.startsWith(PREFIX) || name.startsWith(SHARED_PREFIX)) {
                problems.add(
                        "$" + name + ": no such setting (expected: one of " + String.join(", ", keyOf.keySet()) + ")");
            }
        });
    }

    private void refuseUnknown() {
        values.forEach((key, given) -> {
            if (!KEYS.contains(key) && !OutsideSettingsReader.LISTED.contains(OutsideSettingsReader.unplaced(key))) {
                problems.add(key + " in " + given.place() + ": no such setting (expected: one of "
                        + String.join(", ", KEYS) + ")");
            }
        });
    }

    private @Nullable AgentSettings check(String hostName) {
        Mode mode = one(
                "mode",
                Mode.BOTH,
                "both, host-only or capture-only",
                text -> Mode.valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_')));
        String node = one(
                "node",
                hostName,
                "1 to 63 letters, digits, dots, hyphens or underscores",
                text -> NODE.matcher(text).matches() ? text : null);
        List<String> interfaces = many("interfaces", "names of interfaces", text -> text);
        Set<Integer> ports = Set.copyOf(many("ports", "1 to 65535", SettingChecks::port));
        Set<Integer> alsoPorts = Set.copyOf(many("also-ports", "1 to 65535", SettingChecks::port));
        List<Endpoint> services = many("services", "ADDRESS:PORT, IPv6 in brackets, no host names", Endpoint::parse);
        boolean print = one("print", false, "true or false", SettingText::truth);
        int snaplen = one("capture.snaplen", AgentSettings.DEFAULT_SNAPLEN, "96 to 65535 bytes", text ->
                (int) SettingChecks.within(Long.parseLong(text), 96, 65_535));
        int buffer = one("capture.buffer", AgentSettings.DEFAULT_BUFFER_BYTES, "1MB to 1GB", text ->
                (int) SettingChecks.within(SettingText.size(text), 1 << 20, 1 << 30));
        int threads = one("capture.threads", 1, "1 to " + AgentSettings.MOST_CAPTURE_THREADS, text ->
                (int) SettingChecks.within(Long.parseLong(text), 1, AgentSettings.MOST_CAPTURE_THREADS));
        Duration window = one(
                "capture.window",
                Duration.ofSeconds(1),
                "1s to 60s, whole seconds",
                text -> SettingChecks.wholeSeconds(SettingChecks.within(
                        SettingText.duration(text), Duration.ofSeconds(1), Duration.ofSeconds(60))));
        Privacy privacy = new Privacy(
                one("privacy.mask-clients", Privacy.DEFAULT.maskClients(), "true or false", SettingText::truth),
                one("privacy.targets", Privacy.DEFAULT.targets(), "full, path or none", Privacy.Targets::of));
        HostSettings host = host();
        Duration discovery = one(
                "discovery.interval",
                Duration.ofSeconds(10),
                "1s to 1m",
                text -> SettingChecks.within(SettingText.duration(text), Duration.ofSeconds(1), Duration.ofMinutes(1)));
        Path data = one("data", Path.of("data", "agent"), "a directory", Path::of);
        URI url = optional("central.url", "http://HOST:PORT or https://HOST:PORT", SettingChecks::webAddress);
        Path token = optional(
                "central.token-file",
                "a readable file holding the token",
                text -> Files.isReadable(Path.of(text)) ? Path.of(text) : null);
        OutsideSettings outside = new OutsideSettingsReader(values, problems).read();
        if (url != null && token == null && !values.containsKey("central.token-file")) {
            problems.add(
                    "central.token-file: missing (expected: a file holding a token with scope ingest, since central.url"
                            + " is given)");
        }
        EvidenceConfig evidence = evidence();
        ChangeSettings changes = changes(url, mode);
        if (url == null && !print && !values.containsKey("central.url")) {
            problems.add("central.url: missing (expected: where to report, or --print to see the records here)");
        }
        if (!problems.isEmpty()) {
            return null;
        }
        return new AgentSettings(
                node,
                interfaces,
                ports,
                alsoPorts,
                services,
                print,
                mode,
                url,
                token,
                data,
                snaplen,
                buffer,
                threads,
                host,
                discovery,
                privacy,
                window,
                evidence,
                outside,
                changes);
    }

    /** {@code no}, {@code yes}, a key or a file that holds one. */
    private ChangeSettings changes(@Nullable URI url, Mode mode) {
        String key = "changes.allow";
        ChangeSettings changes = one(
                key,
                ChangeSettings.NONE,
                "no, yes, the central service's order key or a file holding it",
                text -> switch (text) {
                    case "no", "false" -> ChangeSettings.NONE;
                    case "yes", "true" -> new ChangeSettings(true, null);
                    default -> new ChangeSettings(true, SignedOrder.key(SettingChecks.contentOrItself(text)));
                });
        Given given = values.get(key);
        if (!changes.allowed() || given == null) {
            return changes;
        }
        if (url == null || mode == Mode.CAPTURE_ONLY) {
            problems.add(given.problem(key, "with central.url, and not with --capture-only"));
        } else if (changes.key() == null && !isUnmistakable(url)) {
            // Who answers there first would be root on this host ever after.
            problems.add(given.problem(
                    key, "the order key itself, as GET /api/v1/order-key tells it, since " + url + " may be anybody"));
        }
        return changes;
    }

    private static boolean isUnmistakable(URI url) {
        String host = String.valueOf(url.getHost());
        return "https".equals(url.getScheme())
                || host.equals("localhost")
                || host.equals("[::1]")
                || host.matches("127(\\.\\d{1,3}){3}");
    }

    private HostSettings host() {
        HostSettings usual = HostSettings.DEFAULT;
        return new HostSettings(
                one(
                        "host.interval",
                        usual.interval(),
                        "1s to 5m",
                        text -> SettingChecks.within(
                                SettingText.duration(text), Duration.ofSeconds(1), Duration.ofMinutes(5))),
                one(
                        "host.doubt-interval",
                        usual.doubtInterval(),
                        "1s to 1m",
                        text -> SettingChecks.within(
                                SettingText.duration(text), Duration.ofSeconds(1), Duration.ofMinutes(1))),
                one("host.doubt", usual.doubts(), "auto or never", SettingChecks::automatic),
                one("host.system-calls", usual.countsSystemCalls(), "auto or never", SettingChecks::automatic),
                one("host.yield", usual.yields(), "auto or never", SettingChecks::automatic));
    }

    private @Nullable EvidenceConfig evidence() {
        Path file = optional("dump.file", "a file in a directory that exists", SettingChecks::placeForFile);
        long size = one(
                "dump.size",
                EvidenceConfig.DEFAULT_BYTES,
                "1MB to 16GB",
                text -> SettingChecks.within(
                        SettingText.size(text), EvidenceConfig.LEAST_BYTES, EvidenceConfig.MOST_BYTES));
        int payload = one("dump.payload", 0, "0 to 65535 bytes", text ->
                (int) SettingChecks.within(Long.parseLong(text), 0, EvidenceConfig.MOST_PAYLOAD));
        boolean mask = one("privacy.mask-clients", false, "true or false", SettingText::truth);
        return file == null ? null : new EvidenceConfig(file, size, payload, mask);
    }

    private <T> T one(String key, T otherwise, String expected, Function<String, @Nullable T> parse) {
        defaults.put(key, otherwise);
        T value = optional(key, expected, parse);
        return value == null ? otherwise : value;
    }

    /** Null where nothing was given, or nothing usable: then a problem is noted. */
    private <T> @Nullable T optional(String key, String expected, Function<String, @Nullable T> parse) {
        Given given = values.get(key);
        if (given == null) {
            return null;
        }
        T value = parsed(given.text().strip(), parse);
        if (value == null) {
            problems.add(given.problem(key, expected));
        }
        return value;
    }

    private <T> List<T> many(String key, String expected, Function<String, @Nullable T> parse) {
        List<T> list = new ArrayList<>();
        Given given = values.get(key);
        if (given == null) {
            return list;
        }
        for (String item : given.text().split("[,\\s]+")) {
            T value = item.isEmpty() ? null : parsed(item, parse);
            if (value != null) {
                list.add(value);
            } else {
                problems.add(new Given(item, given.place()).problem(key, expected));
            }
        }
        return list;
    }

    /** The value, or null for whatever is not as expected. */
    private static <T> @Nullable T parsed(String text, Function<String, @Nullable T> parse) {
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
