package dev.komainu.seed;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;

/**
 * Seeds of a fuzzer's inputs: given by hand, drawn anew, or kept because their inputs failed once.
 */
public final class FuzzSeeds {

    private static final String FAILED = "/fuzz/failed.txt";
    private static final String ARGUMENT = "-seed=";

    private final OptionalLong told;

    private FuzzSeeds(OptionalLong told) {
        this.told = told;
    }

    /** Reads {@code -Dfuzz.seed=N}. */
    public static FuzzSeeds told() {
        String seed = System.getProperty("fuzz.seed");
        return new FuzzSeeds(
                seed == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(seed)));
    }

    /** Takes {@code -seed=N} out of the arguments; without it, as {@link #told}. */
    public static FuzzSeeds takenFrom(List<String> arguments) {
        for (String argument : arguments) {
            if (argument.startsWith(ARGUMENT)) {
                arguments.remove(argument);
                return new FuzzSeeds(
                        OptionalLong.of(Long.parseLong(argument.substring(ARGUMENT.length()))));
            }
        }
        return told();
    }

    /** Returns the seed of the next run: the one told, else one that no run had. */
    public long next() {
        return told.orElseGet(System::nanoTime);
    }

    /**
     * Returns the seeds of inputs that failed once, for one target. They stand in
     * {@code /fuzz/failed.txt} beside the fuzzer, a line each: target, seed, and what it showed.
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
     * Returns what a failure is to say, and prints the command that makes the same input again.
     *
     * @param module the fuzzer's, as Maven's {@code -pl} wants it
     * @param input the seed of the input that failed
     * @param run the seed of its run, for a failure that needs the inputs before it
     */
    public static String failed(String module, Enum<?> target, long input, long run) {
        String again = "./komainu test -pl " + module + " -am -Dtest=FuzzTest -Dfuzz.seed=" + input;
        System.out.println("\nAgain: " + again);
        return target + ", input " + input + " of run " + run + " (" + again + ")";
    }
}
