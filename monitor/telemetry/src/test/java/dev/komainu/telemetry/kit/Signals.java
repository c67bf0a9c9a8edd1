package dev.komainu.telemetry.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Signals to processes of a test and to their children. */
public final class Signals {

    private Signals() {}

    /** Stops a process where it is (SIGSTOP), as a machine that hangs. */
    public static void freeze(Process process) {
        send("STOP", process);
    }

    /** Lets a stopped process go on (SIGCONT). */
    public static void thaw(Process process) {
        send("CONT", process);
    }

    private static void send(String signal, Process process) {
        List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
        ProcessHandle first = process.toHandle();
        command.add(Long.toString(first.pid()));
        first.descendants().forEach(each -> command.add(Long.toString(each.pid())));
        try {
            // A child can have ended since it was listed; then kill reports it and signals the
            // rest.
            new ProcessBuilder(command).inheritIO().start().waitFor(10, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
