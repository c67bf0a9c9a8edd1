package dev.komainu.telemetry.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/** A command that serves, for a JVM of its own: says what happens to it, one line each. */
final class ServingCommand {

    private ServingCommand() {}

    /**
     * @param arguments stopped code, own code, seconds of patience, and "end" to end by itself,
     *     "stop" to end after a signal, "forever" to end never
     */
    public static void main(String[] arguments) {
        CommandProcess process = new CommandProcess();
        process.run(() -> serve(process, arguments));
    }

    private static int serve(CommandProcess process, String[] arguments) {
        CommandProcess.ignore("HUP");
        System.out.println("starting");
        int code = Integer.parseInt(arguments[1]);
        process.stopOnSignal(
                () -> Duration.ofSeconds(Integer.parseInt(arguments[2])),
                CommandProcess.StoppedCode.valueOf(arguments[0]));
        if (arguments[3].equals("end")) {
            return code;
        }
        awaitInput();
        CommandProcess.on("HUP", () -> System.out.println("reload"));
        System.out.println("serving");
        try {
            process.awaitStop();
            System.out.println("stopping");
            while (arguments[3].equals("forever")) {
                process.awaitStop(Duration.ofDays(1));
            }
        } catch (InterruptedException e) {
            return ExitCode.FAILED;
        }
        System.out.println("ended");
        return code;
    }

    private static void awaitInput() {
        try {
            System.in.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
