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
 */
record ReplayOptions(
        @Nullable Path recording,
        @Nullable Path thresholds,
        @Nullable String service,
        List<String> values,
        @Nullable Path windowsTo) {

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
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            if (argument.equals("--help") || argument.equals("-h")) {
                return new ReplayOptions(null, null, null, List.of(), null);
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
            if (!name.matches("--(thresholds|service|values|windows-to)")) {
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
                default -> windowsTo = Path.of(value);
            }
        }
        if (recording == null && arguments.length > 0) {
            throw new WrongOptionException("recording missing (expected: replay RECORDING)");
        }
        if (service == null && !values.isEmpty()) {
            throw new WrongOptionException("--values: (expected: with --service)");
        }
        return new ReplayOptions(recording, thresholds, service, values, windowsTo);
    }
}
