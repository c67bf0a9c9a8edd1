package dev.komainu.agent.discovery.program;

import dev.komainu.agent.host.linux.ProcFiles;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The process behind a listening socket.
 *
 * @param id the top process of the server's process tree
 * @param program path of its executable in its own file system; absent without permission
 * @param arguments other command line; a rewritten one ({@code nginx: master process …}) is split
 *     at spaces
 * @param sameFiles whether it sees the agent's file system (false inside a container)
 * @param directory other working directory; absent without permission
 */
public record ServerProcess(
        long id,
        @Nullable String program,
        List<String> arguments,
        boolean sameFiles,
        @Nullable String directory) {

    private static final String DELETED = " (deleted)";

    public ServerProcess {
        arguments = List.copyOf(arguments);
    }

    /** Reads a process; values without permission are absent. */
    public static ServerProcess read(ProcFiles proc, long id) {
        String program = proc.link(id + "/exe");
        if (program != null && program.endsWith(DELETED)) {
            program = program.substring(0, program.length() - DELETED.length());
        }
        String line = proc.text(id + "/cmdline");
        String own = proc.link("self/ns/mnt");
        String other = proc.link(id + "/ns/mnt");
        return new ServerProcess(
                id,
                program,
                split(line),
                own == null || other == null || own.equals(other),
                proc.link(id + "/cwd"));
    }

    /**
     * Splits a command line. Arguments end with NUL; a rewritten title is one argument with spaces.
     */
    public static List<String> split(String line) {
        String trimmed = line.replaceAll("\0+$", "");
        if (trimmed.isEmpty()) {
            return List.of();
        }
        return List.of(trimmed.split(trimmed.indexOf('\0') < 0 ? "\\s+" : "\0"));
    }

    /**
     * Returns the file name of the executable, else of the first argument; empty when neither is
     * known.
     */
    public String programName() {
        String path = program != null ? program : arguments.isEmpty() ? "" : arguments.getFirst();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /**
     * Reports whether it is a worker that has a title instead of its master's command line:
     * {@code nginx: worker process}, {@code php-fpm: pool www}.
     */
    public boolean isTitledWorker() {
        return arguments.size() >= 2
                && arguments.getFirst().endsWith(":")
                && (arguments.get(1).equals("worker") || arguments.get(1).equals("pool"));
    }

    /**
     * Returns the value of {@code flag}, as in {@code -c FILE}, {@code -cFILE} or
     * {@code --listen=X}; absent without the flag.
     */
    @Nullable
    public String option(String flag) {
        for (int i = 1; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.equals(flag) && i + 1 < arguments.size()) {
                return arguments.get(i + 1);
            }
            if (argument.startsWith(flag) && argument.length() > flag.length()) {
                char next = argument.charAt(flag.length());
                if (next == '=') {
                    return argument.substring(flag.length() + 1);
                }
                if (!flag.startsWith("--") && flag.length() == 2) {
                    return argument.substring(2);
                }
            }
        }
        return null;
    }

    /** Returns every value of a flag that may be repeated, as {@code -f FILE} or {@code -fFILE}. */
    public List<String> options(String flag) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.equals(flag) && i + 1 < arguments.size()) {
                values.add(arguments.get(++i));
            } else if (argument.startsWith(flag) && argument.length() > flag.length()) {
                values.add(argument.substring(flag.length()));
            }
        }
        return values;
    }
}
