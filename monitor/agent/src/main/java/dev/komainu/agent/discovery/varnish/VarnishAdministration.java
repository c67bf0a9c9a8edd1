package dev.komainu.agent.discovery.varnish;

import dev.komainu.agent.discovery.program.ProgramOutput;
import dev.komainu.agent.discovery.program.ProgramOutput.Answer;
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
 * One running Varnish's parameters, asked and set through its management as an administrator does
 * ({@code varnishadm}, which needs the right to read its secret). Each call starts a program that
 * ends within two seconds. One thread at a time.
 */
public final class VarnishAdministration {

    /**
     * {@code thread_pool_max 12 [threads] (default)}; a dash stands for what this build does not
     * have.
     */
    private static final Pattern LINE =
            Pattern.compile("^(\\w{1,60}) +(\\S{1,100})(?: |$)", Pattern.MULTILINE);

    private static final Pattern NAME = Pattern.compile("\\w{1,60}");
    private static final Pattern VALUE = Pattern.compile("[\\w.%]{1,60}");

    /**
     * Beside varnishd where it was built from source; in Debian the one is in sbin, the other in
     * bin.
     */
    private static final List<String> PLACES = List.of("varnishadm", "../bin/varnishadm");

    private final List<String> command;

    private VarnishAdministration(List<String> command) {
        this.command = command;
    }

    /**
     * Null where its management cannot be reached: in a container, without the program, or one that
     * others may write.
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

    /** All parameters as they are in force; empty when it does not answer. */
    public Map<String, String> parameters() {
        Answer answer = ask("param.show");
        Map<String, String> values = new LinkedHashMap<>();
        Matcher matcher = LINE.matcher(answer.succeeded() ? answer.text() : "");
        while (matcher.find()) {
            if (!matcher.group(2).equals("-")) {
                values.put(matcher.group(1), VarnishParameters.plain(matcher.group(2)));
            }
        }
        return values;
    }

    /** Sets a parameter until Varnish's next start; null when it took it, else what it said. */
    public @Nullable String set(String name, String value) {
        if (!NAME.matcher(name).matches() || !VALUE.matcher(value).matches()) {
            return name + " " + value + " (expected: a name and one word)";
        }
        Answer answer = ask("param.set", name, value);
        return answer.succeeded() ? null : answer.text().strip();
    }

    /**
     * {@code 5} is {@code 5.0} and {@code 80K} is {@code 80k}; {@code 10s} is how 10 may be
     * written.
     */
    public static boolean isSame(String one, String other) {
        return one.equalsIgnoreCase(other) || number(one) == number(other);
    }

    /** NaN, which equals nothing, for what is none. */
    private static double number(String text) {
        String digits = text.endsWith("s") ? text.substring(0, text.length() - 1) : text;
        return digits.matches("\\d{1,15}(\\.\\d{0,15})?") ? Double.parseDouble(digits) : Double.NaN;
    }

    private Answer ask(String... words) {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of(words));
        return ProgramOutput.ask(all);
    }
}
