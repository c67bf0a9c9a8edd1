package dev.komainu.telemetry.process;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import sun.misc.Signal;

/**
 * The process of a command that serves until SIGTERM or SIGINT. The shutdown waits until the
 * command has ended, so that work in progress and the last reports are completed.
 *
 * <pre>
 *  command's thread                         shutdown's thread
 *  run ── stopOnSignal ── awaitStop                             ◄── SIGTERM
 *                             │  ◄──────────── stop
 *                           drain              waits, at most the timeout
 *  returns its code ─────────────────────────► ends the process
 * </pre>
 */
public final class CommandProcess {

    /** The exit code of a process that a signal stopped and whose command ended well. */
    public enum StoppedCode {
        /** Exit code 0. */
        ZERO,
        /** 128 plus the signal's number: 143 after SIGTERM, 130 after SIGINT. */
        SIGNAL
    }

    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    /** The command's exit code; written before it has ended. */
    private volatile int code = ExitCode.FAILED;

    /**
     * Runs a command on this thread. Ends the process with the command's code or, after a signal,
     * as set by {@link #stopOnSignal}.
     */
    public void run(IntSupplier command) {
        try {
            code = command.getAsInt();
        } finally {
            ended.countDown();
        }
        // While a signal ends the process, this call does not return and its code has no effect.
        System.exit(code);
    }

    /**
     * Prevents a signal, a name without SIG, from ending the process. The signal has no effect
     * until {@link #on} is called.
     */
    public static void ignore(String signal) {
        // Not SIG_IGN: a JVM that was started with HUP ignored never handles it again.
        on(signal, () -> {});
    }

    /**
     * Sets the action for a signal, which runs on a separate thread.
     *
     * @param signal name without SIG
     */
    public static void on(String signal, Runnable action) {
        Signal.handle(new Signal(signal), received -> action.run());
    }

    /**
     * Ends {@link #awaitStop} on SIGTERM and SIGINT from now on. The process ends when the command
     * has ended.
     *
     * @param timeout longest wait for the command's end, read when the signal arrives
     * @param stopped exit code after a signal
     */
    public void stopOnSignal(Supplier<Duration> timeout, StoppedCode stopped) {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> shutDown(timeout, stopped), "komainu-stop"));
    }

    private void shutDown(Supplier<Duration> timeout, StoppedCode stopped) {
        stop.countDown();
        try {
            if (ended.await(timeout.get().toMillis(), TimeUnit.MILLISECONDS)
                    && stopped == StoppedCode.ZERO
                    && code == ExitCode.OK) {
                Runtime.getRuntime().halt(ExitCode.OK);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until a signal stops the command. */
    public void awaitStop() throws InterruptedException {
        stop.await();
    }

    /**
     * Waits until a signal stops the command or the time has passed. Returns whether a signal
     * arrived.
     */
    public boolean awaitStop(Duration limit) throws InterruptedException {
        return stop.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }
}
