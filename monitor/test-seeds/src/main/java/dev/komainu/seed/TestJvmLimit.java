package dev.komainu.seed;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * The time limit of a test JVM, {@code test.jvm.seconds}. When it expires, the JVM prints the
 * stacks of its threads and exits; Surefire reports that as a crash, so the build fails. It detects
 * a hang in any engine. Not active with a debugger.
 */
public final class TestJvmLimit implements LauncherSessionListener {

    private static final int EXIT_CODE = 97;
    private static final AtomicBoolean WATCHED = new AtomicBoolean();

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        long seconds = Long.getLong("test.jvm.seconds", 0);
        boolean debugged = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .anyMatch(argument -> argument.startsWith("-agentlib:jdwp"));
        if (seconds > 0 && !debugged && WATCHED.compareAndSet(false, true)) {
            Thread.ofPlatform().name("test-jvm-limit").daemon().start(() -> endAfter(seconds));
        }
    }

    private static void endAfter(long seconds) {
        try {
            Thread.sleep(Duration.ofSeconds(seconds));
        } catch (InterruptedException e) {
            return;
        }
        try {
            // The JVM's own stream: the tests' output uses a channel that a hanging test may block.
            printStacks(
                    seconds,
                    new PrintStream(
                            new FileOutputStream(FileDescriptor.err),
                            true,
                            StandardCharsets.UTF_8));
        } finally {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }

    static void printStacks(long seconds, PrintStream out) {
        out.println("[ERROR] This test JVM has run for " + seconds
                + " s, its limit: it ends. What its threads do:");
        for (Map.Entry<Thread, StackTraceElement[]> entry :
                Thread.getAllStackTraces().entrySet()) {
            out.println("\"" + entry.getKey().getName() + "\" " + entry.getKey().getState());
            for (StackTraceElement call : entry.getValue()) {
                out.println("\tat " + call);
            }
        }
        out.flush();
    }
}
