package dev.komainu.telemetry.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/** A serving command for a separate JVM: it prints each of its states on a line. */
final class ServingCommand {

    private ServingCommand() {}

    /**
     * Runs the command.
     *
     * @param arguments stopped code, own code, timeout in seconds, and "end" to end itself, "stop"
     *     to end after a signal, "forever" to never end
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
