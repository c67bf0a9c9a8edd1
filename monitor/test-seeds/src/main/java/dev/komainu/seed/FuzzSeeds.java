package dev.komainu.seed;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;

/**
 * Seeds of a fuzzer's inputs: set by hand, generated, or stored because their inputs failed once.
 */
public final class FuzzSeeds {

    private static final String FAILED = "/fuzz/failed.txt";
    private static final String ARGUMENT = "-seed=";

    private final OptionalLong byHand;

    private FuzzSeeds(OptionalLong byHand) {
        this.byHand = byHand;
    }

    /** Creates seeds from {@code -Dfuzz.seed=N}. */
    public static FuzzSeeds fromProperty() {
        String seed = System.getProperty("fuzz.seed");
        return new FuzzSeeds(
                seed == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(seed)));
    }

    /**
     * Creates seeds from {@code -seed=N}, which is removed from the arguments; without it, from
     * {@code -Dfuzz.seed=N}.
     */
    public static FuzzSeeds fromArguments(List<String> arguments) {
        for (String argument : arguments) {
            if (argument.startsWith(ARGUMENT)) {
                arguments.remove(argument);
                return new FuzzSeeds(
                        OptionalLong.of(Long.parseLong(argument.substring(ARGUMENT.length()))));
            }
        }
        return fromProperty();
    }

    /** Returns the seed of the next run: the one set by hand, else a new one. */
    public long next() {
        return byHand.orElseGet(System::nanoTime);
    }

    /**
     * Returns the seeds of inputs that failed once, for one target. They are listed in
     * {@code /fuzz/failed.txt} beside the fuzzer, one per line: target, seed, and the fault found.
     */
    public static List<Long> failedOnce(Class<?> fuzzer, Enum<?> target) throws IOException {
        try (InputStream in = fuzzer.getResourceAsStream(FAILED)) {
            if (in == null) {
                throw new IOException(FAILED + ": not found beside " + fuzzer.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(target.name() + " "))
                    .map(line -> Long.valueOf(line.split(" ", 3)[1]))
                    .toList();
        }
    }

    /**
     * Returns the message of a failure, and prints the command that repeats the input.
     *
     * @param module the fuzzer's module, in the form of Maven's {@code -pl}
     * @param input the seed of the failed input
     * @param run the seed of its run, for a failure that needs the inputs before it
     */
    public static String failed(String module, Enum<?> target, long input, long run) {
        String again = "./komainu test -pl " + module + " -am -Dtest=FuzzTest -Dfuzz.seed=" + input;
        System.out.println("\nAgain: " + again);
        return target + ", input " + input + " of run " + run + " (" + again + ")";
    }
}
