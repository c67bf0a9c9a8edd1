package dev.komainu.central.replay;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of the command.
 *
 * @param recording file or directory; absent: help
 * @param thresholds file of thresholds to try
 * @param service the only service to print
 * @param values indices whose values are printed for each second; empty: none
 * @param windowsTo directory of a copy without records of single connections
 * @param extractTo file of an extract of the service; absent: none
 * @param from first second of the extract, since the epoch
 * @param until last second of the extract, since the epoch
 */
record ReplayOptions(
        @Nullable Path recording,
        @Nullable Path thresholds,
        @Nullable String service,
        List<String> values,
        @Nullable Path windowsTo,
        @Nullable Path extractTo,
        double from,
        double until) {

    /** A second after every recording. */
    private static final double END = 1e10;

    static final String HELP = """
            replay RECORDING: judges a recording again in simulated time, and prints each change of state with its rule and evidence
              RECORDING          a file, or the directory of komainu.ingest.recording
              --thresholds FILE  thresholds to try, as YAML:
                                 thresholds:
                                   - { rule: cpu/busy, measure: hostCpuIdleShare, than: 0.15 }
                                   - { service: "web-01:80", rule: processes/all-busy, measure: workersBusyShare, than: 0.9 }
              --service ID       prints this service only
              --values A,B       also prints these indices of that service, each over ten seconds, for every second (names: GET /api/v1/indices)
              --windows-to DIR   judges nothing: writes a small copy without the records of single connections and exchanges
              --extract-to FILE  judges nothing: with --service, writes the records of that service and of those it depends on, as lines of JSON in zstd
              --from T           with --extract-to: first second, since the epoch (default: the beginning)
              --until T          with --extract-to: last second, since the epoch (default: the end)
            The database is not read: the replay begins without baselines, and with the thresholds of the rules.
            Exit codes: 0 done, 1 done, but part of the recording is damaged, 2 wrong usage, 3 no recording.
            """;

    /** A mistake on the command line. */
    static final class WrongOptionException extends Exception {

        private static final long serialVersionUID = 1;

        WrongOptionException(String message) {
            super(message);
        }
    }

    static ReplayOptions of(String... arguments) throws WrongOptionException {
        Path recording = null;
        Path thresholds = null;
        String service = null;
        List<String> values = List.of();
        Path windowsTo = null;
        Path extractTo = null;
        double from = 0;
        double until = END;
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            if (argument.equals("--help") || argument.equals("-h")) {
                return new ReplayOptions(null, null, null, List.of(), null, null, from, until);
            }
            if (!argument.startsWith("--")) {
                if (recording != null) {
                    throw new WrongOptionException(argument + ": (expected: one recording)");
                }
                recording = Path.of(argument);
                continue;
            }
            int equals = argument.indexOf('=');
            String name = equals > 0 ? argument.substring(0, equals) : argument;
            if (!name.matches("--(thresholds|service|values|windows-to|extract-to|from|until)")) {
                throw new WrongOptionException(argument + ": (expected: an option; see --help)");
            }
            if (equals < 0 && ++i >= arguments.length) {
                throw new WrongOptionException(name + ": (expected: a value after it)");
            }
            String value = equals > 0 ? argument.substring(equals + 1) : arguments[i];
            switch (name) {
                case "--thresholds" -> thresholds = Path.of(value);
                case "--service" -> service = value;
                case "--values" -> values = List.of(value.split(","));
                case "--extract-to" -> extractTo = Path.of(value);
                case "--from" -> from = second(name, value);
                case "--until" -> until = second(name, value);
                default -> windowsTo = Path.of(value);
            }
        }
        if (recording == null && arguments.length > 0) {
            throw new WrongOptionException("recording missing (expected: replay RECORDING)");
        }
        if (service == null && !values.isEmpty()) {
            throw new WrongOptionException("--values: (expected: with --service)");
        }
        if (service == null && extractTo != null) {
            throw new WrongOptionException("--extract-to: (expected: with --service)");
        }
        return new ReplayOptions(
                recording, thresholds, service, values, windowsTo, extractTo, from, until);
    }

    private static double second(String name, String value) throws WrongOptionException {
        try {
            double second = Double.parseDouble(value);
            if (second >= 0 && second <= END) {
                return second;
            }
        } catch (NumberFormatException e) {
            // Reported below like a number out of range.
        }
        throw new WrongOptionException(
                name + ": " + value + " (expected: a second since the epoch)");
    }
}
