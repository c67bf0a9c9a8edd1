package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.page.PageSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What tunes the front.
 *
 * @param listen where clients reach it; null: nowhere, it only answers peers
 * @param lineListen where peers reach it
 * @param loops event loops: 1 to 4, inside a proxy as many as that has. A line to a peer has its connections divided among them, so that no exchange changes threads
 * @param idle how long a client's connection may be idle, or take nothing of an answer: 1 s to 1 h (60 s)
 * @param headTimeout from a head's first byte to its last: 100 ms to 10 min (10 s)
 * @param line how lines are tuned; its connections are per peer in all
 * @param pages what comes with pages
 */
public record FrontSettings(
        @Nullable InetSocketAddress listen,
        InetSocketAddress lineListen,
        int loops,
        Duration idle,
        Duration headTimeout,
        LineSettings line,
        PageSettings pages) {

    /** Adds "front.name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        if (loops < 1 || loops > 256) {
            problems.add("front.loops: " + loops + " (expected: 1 to 256)");
        }
        checkTimes(problems, idle, headTimeout);
        line.check(problems);
        pages.check(problems);
    }

    /** What {@link #check} does of the two times. */
    public static void checkTimes(List<String> problems, Duration idle, Duration headTimeout) {
        time(problems, "idle-timeout", idle, 1_000, 3_600_000);
        time(problems, "head-timeout", headTimeout, 100, 600_000);
    }

    private static void time(List<String> problems, String name, Duration value, long least, long most) {
        if (value.toMillis() < least || value.toMillis() > most) {
            problems.add(
                    "front." + name + ": " + value.toMillis() + "ms (expected: " + least + "ms to " + most + "ms)");
        }
    }
}
