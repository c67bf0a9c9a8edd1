package dev.komainu.agent.discovery.varnish;

import dev.komainu.agent.discovery.program.ProgramOutput;
import dev.komainu.agent.discovery.program.ProgramOutput.Result;
import dev.komainu.agent.discovery.program.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of one running Varnish, read and set through its management interface
 * ({@code varnishadm}, which needs permission to read the secret). Each call starts a program that
 * ends within two seconds. One thread at a time.
 */
public final class VarnishAdministration {

    /**
     * Matches {@code thread_pool_max 12 [threads] (default)}. A dash stands for a parameter that
     * this build lacks.
     */
    private static final Pattern LINE =
            Pattern.compile("^(\\w{1,60}) +(\\S{1,100})(?: |$)", Pattern.MULTILINE);

    private static final Pattern NAME = Pattern.compile("\\w{1,60}");
    private static final Pattern VALUE = Pattern.compile("[\\w.%]{1,60}");

    /**
     * Built from source, the program is beside varnishd. In Debian varnishd is in sbin, varnishadm
     * in bin.
     */
    private static final List<String> PLACES = List.of("varnishadm", "../bin/varnishadm");

    private final List<String> command;

    private VarnishAdministration(List<String> command) {
        this.command = command;
    }

    /**
     * Returns the administration of a Varnish; null when its management cannot be reached: in a
     * container, without the program, or with a program that other users may write.
     */
    public static @Nullable VarnishAdministration of(ServerProcess process) {
        String program = process.program();
        if (program == null || !process.sameFiles() || !process.programName().equals("varnishd")) {
            return null;
        }
        for (String place : PLACES) {
            Path path = Path.of(program).resolveSibling(place).normalize();
            if (Files.isExecutable(path) && ProgramOutput.isTrustworthy(path)) {
                List<String> command = new ArrayList<>(List.of(path.toString(), "-t", "1"));
                String name = process.option("-n");
                if (name != null) {
                    command.addAll(List.of("-n", name));
                }
                return new VarnishAdministration(List.copyOf(command));
            }
        }
        return null;
    }

    /** Returns all parameters in force; empty when the server does not respond. */
    public Map<String, String> parameters() {
        Result result = execute("param.show");
        Map<String, String> values = new LinkedHashMap<>();
        Matcher matcher = LINE.matcher(result.succeeded() ? result.text() : "");
        while (matcher.find()) {
            if (!matcher.group(2).equals("-")) {
                values.put(matcher.group(1), VarnishParameters.plain(matcher.group(2)));
            }
        }
        return values;
    }

    /**
     * Sets a parameter until Varnish's next start. Returns null on success, else Varnish's message.
     */
    public @Nullable String set(String name, String value) {
        if (!NAME.matcher(name).matches() || !VALUE.matcher(value).matches()) {
            return name + " " + value + " (expected: a name and one word)";
        }
        Result result = execute("param.set", name, value);
        return result.succeeded() ? null : result.text().strip();
    }

    /**
     * Reports whether two values are equal: {@code 5} equals {@code 5.0}, {@code 80K} equals
     * {@code 80k}, {@code 10s} equals {@code 10}.
     */
    public static boolean isSame(String first, String second) {
        return first.equalsIgnoreCase(second) || number(first) == number(second);
    }

    /** Returns the number, or NaN, which equals nothing, for other text. */
    private static double number(String text) {
        String digits = text.endsWith("s") ? text.substring(0, text.length() - 1) : text;
        return digits.matches("\\d{1,15}(\\.\\d{0,15})?") ? Double.parseDouble(digits) : Double.NaN;
    }

    private Result execute(String... words) {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of(words));
        return ProgramOutput.execute(all);
    }
}
