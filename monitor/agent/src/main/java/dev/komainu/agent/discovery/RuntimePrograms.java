package dev.komainu.agent.discovery;

import java.util.regex.Pattern;

/** The programs that run the code of others: shells, interpreters, virtual machines. */
final class RuntimePrograms {

    private static final Pattern RUNTIME = Pattern.compile(
            "(java|python[0-9.]*|perl[0-9.]*|ruby[0-9.]*|php[0-9.]*|node|nodejs|bash|dash|sh|busybox)");

    private RuntimePrograms() {}

    static boolean isRuntime(String program) {
        return RUNTIME.matcher(program.substring(program.lastIndexOf('/') + 1)).matches();
    }
}
