package dev.komainu.agent;

import dev.komainu.agent.connection.exchange.PrivacyRules;
import dev.komainu.settings.SettingGrammar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of {@code analyze}. Parsed by hand: the library that parses the agent's options costs a
 * tenth of a CPU second, as much as analysing half a million packets.
 *
 * @param windows length of the windows; null for none
 * @param ports empty for all
 * @param accessLog the server's own log of the same time, to compare with the packets; null for
 *     none
 * @param logFormat format of that log; null: to be recognised
 * @param privacy parts of clients and targets that are shown
 */
record AnalyzeArguments(
        Path file,
        Format format,
        @Nullable Duration windows,
        Set<Integer> ports,
        @Nullable Path accessLog,
        @Nullable String logFormat,
        PrivacyRules privacy) {

    static final Duration DEFAULT_WINDOW = Duration.ofSeconds(10);

    /** Output format. */
    enum Format {
        SUMMARY,
        JSON,
        CSV
    }

    /** The command line is invalid; the message has a line for each reason. */
    static final class WrongUsage extends Exception {
        private static final long serialVersionUID = 1L;

        WrongUsage(List<String> reasons) {
            super(String.join(System.lineSeparator(), reasons));
        }
    }

    private static final Duration SHORTEST_WINDOW = Duration.ofMillis(100);
    private static final Duration LONGEST_WINDOW = Duration.ofDays(1);
    private static final Pattern LENGTH = Pattern.compile("\\d{1,9}(ms|s|m|h)");

    static final String HELP = """
            Usage: analyze [--json | --csv] [--windows[=LENGTH]] [--port=N[,N...]]... [--mask-clients]
                           [--targets=KIND] [--access-log=LOG [--log-format=FMT]] FILE
            Analyses the TCP connections and HTTP exchanges in a capture file (pcap, pcapng).
                  FILE                 The capture file.
                  --json               One JSON object for each connection, one per line.
                  --csv                One line for each connection, comma-separated, with a header line.
                  --windows[=LENGTH]   Also one line for each server and LENGTH of time (100ms to 24h; default 10s).
                                       With --csv: in place of the connections.
                  --port=N[,N...]      Only connections to these server ports; also decides which side is the server
                                       where no SYN was captured.
                  --access-log=LOG     Also compare the server's own access log of the same time with the packets.
                  --log-format=FMT     common, combined, squid, or a format in nginx's, Apache's or Squid's variables;
                                       default: recognised, if it is common, combined or Squid's.
                  --mask-clients       Show the clients' networks only: /24 or /48.
                  --targets=KIND       Part of a request's target to show: full, path (without parameters; default) or none.
              -h, --help               Show this help and exit.
              -V, --version            Print the version and exit.

            Exit codes:
              0   done
              1   the file is broken or unreadable; everything before the broken byte was written
              2   wrong usage
            """;

    static AnalyzeArguments parse(String... args) throws WrongUsage {
        Reader reader = new Reader(args);
        AnalyzeArguments read = reader.read();
        if (!reader.problems.isEmpty()) {
            throw new WrongUsage(reader.problems);
        }
        return read;
    }

    private static final class Reader {
        final List<String> problems = new ArrayList<>();
        private final String[] args;
        private int at;
        private boolean json;
        private boolean csv;
        private @Nullable Duration windows;
        private boolean maskClients;
        private PrivacyRules.Targets targets = PrivacyRules.DEFAULT.targets();
        private final Set<Integer> ports = new TreeSet<>();
        private @Nullable Path accessLog;
        private @Nullable String logFormat;
        private final List<String> files = new ArrayList<>();

        Reader(String[] args) {
            this.args = args;
        }

        AnalyzeArguments read() {
            boolean options = true;
            while (at < args.length) {
                String arg = args[at++];
                if (options && arg.equals("--")) {
                    options = false;
                } else if (options && arg.startsWith("-") && arg.length() > 1) {
                    option(arg);
                } else {
                    files.add(arg);
                }
            }
            if (json && csv) {
                problems.add("--csv: given with --json (expected: one of them)");
            }
            return new AnalyzeArguments(
                    file(),
                    json ? Format.JSON : csv ? Format.CSV : Format.SUMMARY,
                    windows,
                    Set.copyOf(ports),
                    accessLog,
                    logFormat,
                    new PrivacyRules(maskClients, targets));
        }

        private void option(String arg) {
            int equals = arg.indexOf('=');
            String name = equals < 0 ? arg : arg.substring(0, equals);
            String value = equals < 0 ? null : arg.substring(equals + 1);
            switch (name) {
                case "--json" -> json = isOn(name, value);
                case "--csv" -> csv = isOn(name, value);
                case "--windows" -> windows = window(value);
                case "--port" -> ports(value);
                case "--access-log" -> accessLog = log(value);
                case "--log-format" ->
                    logFormat = value == null && at < args.length ? args[at++] : value;
                case "--mask-clients" -> maskClients = isOn(name, value);
                case "--targets" -> targets(value);
                default ->
                    problems.add(name
                            + ": unknown (expected: --json, --csv, --windows, --port, --access-log,"
                            + " --log-format, --mask-clients, --targets; see analyze --help)");
            }
        }

        private boolean isOn(String name, @Nullable String value) {
            if (value != null) {
                problems.add(name + ": " + value + " (expected: no value)");
            }
            return true;
        }

        /**
         * Parses the length of the windows. It may also be the next argument, when that has the
         * form of a length.
         */
        private Duration window(@Nullable String given) {
            String value = given;
            if (value == null
                    && at < args.length
                    && LENGTH.matcher(args[at]).matches()
                    && !isFile(args[at])) {
                value = args[at++];
            }
            if (value == null) {
                return DEFAULT_WINDOW;
            }
            try {
                Duration length = SettingGrammar.duration(value);
                if (length.compareTo(SHORTEST_WINDOW) >= 0
                        && length.compareTo(LONGEST_WINDOW) <= 0) {
                    return length;
                }
                problems.add("--windows: " + value + " (expected: 100ms to 24h, as in 1s or 10s)");
            } catch (IllegalArgumentException | ArithmeticException e) {
                problems.add("--windows: " + value + " (expected: 100ms to 24h, as in 1s or 10s)");
            }
            return DEFAULT_WINDOW;
        }

        private static boolean isFile(String word) {
            return Files.isRegularFile(Path.of(word));
        }

        private void targets(@Nullable String given) {
            String value = given == null ? at < args.length ? args[at++] : "" : given;
            try {
                targets = PrivacyRules.Targets.of(value);
            } catch (IllegalArgumentException e) {
                problems.add("--targets: " + value + " (expected: full, path or none)");
            }
        }

        private void ports(@Nullable String given) {
            String value = given == null && at < args.length ? args[at++] : given;
            for (String word : value == null ? new String[] {""} : value.split(",", -1)) {
                int port = word.matches("\\d{1,5}") ? Integer.parseInt(word) : 0;
                if (port < 1 || port > 65_535) {
                    problems.add("--port: " + word + " (expected: 1 to 65535)");
                } else {
                    ports.add(port);
                }
            }
        }

        private Path log(@Nullable String given) {
            String value = given == null && at < args.length ? args[at++] : given;
            Path log = Path.of(value == null ? "" : value);
            if (!Files.isRegularFile(log)) {
                problems.add("--access-log: " + log + " (expected: an existing log file)");
            }
            return log;
        }

        private Path file() {
            if (files.size() != 1) {
                problems.add("FILE: " + (files.isEmpty() ? "none" : String.join(" ", files))
                        + " (expected: one file)");
                return Path.of("");
            }
            Path file = Path.of(files.getFirst());
            if (!Files.isRegularFile(file)) {
                problems.add("FILE: " + file + " (expected: an existing capture file)");
            }
            return file;
        }
    }
}
