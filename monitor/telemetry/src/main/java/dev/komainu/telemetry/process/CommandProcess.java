package dev.komainu.telemetry.process;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import sun.misc.Signal;

/**
 * The process of a command that serves until SIGTERM or SIGINT. The shutdown waits until the
 * command has ended: what is under way, and the last reports, are part of it.
 *
 * <pre>
 *  command's thread                         shutdown's thread
 *  run ── stopOnSignal ── awaitStop                             ◄── SIGTERM
 *                             │  ◄──────────── stop
 *                           drain              waits, at most the patience
 *  returns its code ─────────────────────────► ends the process
 * </pre>
 */
public final class CommandProcess {

    /** The exit code of a process that a signal stopped and whose command ended well. */
    public enum StoppedCode {
        /** 0. */
        ZERO,
        /** 128 and the signal's number: 143 after SIGTERM, 130 after SIGINT. */
        SIGNAL
    }

    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    /** Of the command; written before it has ended. */
    private volatile int code = ExitCode.FAILED;

    /**
     * Runs a command on this thread, and ends the process with its code or, after a signal, as
     * {@link #stopOnSignal} says.
     */
    public void run(IntSupplier command) {
        try {
            code = command.getAsInt();
        } finally {
            ended.countDown();
        }
        // While a signal ends the process this does not return, and its code does not count.
        System.exit(code);
    }

    /**
     * Keeps this signal, a name without SIG, from ending the process; it does nothing until
     * {@link #on}.
     */
    public static void ignore(String signal) {
        // Not SIG_IGN: a JVM that finds HUP ignored never handles it again.
        on(signal, () -> {});
    }

    /**
     * Does this at each such signal from now on, on a thread of its own.
     *
     * @param signal its name without SIG
     */
    public static void on(String signal, Runnable action) {
        Signal.handle(new Signal(signal), received -> action.run());
    }

    /**
     * From now on SIGTERM and SIGINT end {@link #awaitStop}, and the process ends when the command
     * has ended.
     *
     * @param patience how long the process waits at most for the command to end, asked when the
     *     signal comes
     */
    public void stopOnSignal(Supplier<Duration> patience, StoppedCode stopped) {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> shutDown(patience, stopped), "komainu-stop"));
    }

    private void shutDown(Supplier<Duration> patience, StoppedCode stopped) {
        stop.countDown();
        try {
            if (ended.await(patience.get().toMillis(), TimeUnit.MILLISECONDS)
                    && stopped == StoppedCode.ZERO
                    && code == ExitCode.OK) {
                Runtime.getRuntime().halt(ExitCode.OK);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when a signal asks the command to end. */
    public void awaitStop() throws InterruptedException {
        stop.await();
    }

    /** Likewise, or after this time. Returns whether a signal came. */
    public boolean awaitStop(Duration most) throws InterruptedException {
        return stop.await(most.toMillis(), TimeUnit.MILLISECONDS);
    }
}
