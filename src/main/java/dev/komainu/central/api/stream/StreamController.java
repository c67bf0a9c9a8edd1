package dev.komainu.central.api.stream;

import dev.komainu.central.access.Caller;
import dev.komainu.central.access.Session;
import dev.komainu.central.access.Sessions;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The event stream (HTML Living Standard, section 9.2). Writes block: each request has its own
 * virtual thread, so that a waiting subscriber costs almost nothing.
 */
@RestController
class StreamController {

    private static final int MOST_TOPICS = 64;
    private static final byte[] HEARTBEAT = ": still here\n\n".getBytes(StandardCharsets.US_ASCII);
    /** Time that a browser waits before it reconnects. */
    private static final byte[] RETRY = "retry: 2000\n\n".getBytes(StandardCharsets.US_ASCII);

    private final EventHub hub;
    private final Sessions sessions;
    private final EventStreamSettings settings;

    StreamController(EventHub hub, Sessions sessions, EventStreamSettings settings) {
        this.hub = hub;
        this.sessions = sessions;
        this.settings = settings;
    }

    @GetMapping("/api/v1/stream")
    void stream(
            @AuthenticationPrincipal Caller caller,
            @RequestParam List<String> topics,
            @RequestHeader(name = "Last-Event-ID", required = false) @Nullable String lastEventId,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        Subscription subscription = hub.subscribe(checked(topics), lastEventId)
                .orElseThrow(() -> new ProblemException(
                        Problem.of(
                                503,
                                "too-many-subscribers",
                                "Too many subscribers",
                                "subscribers: " + hub.clients() + " (komainu.stream.clients: "
                                        + settings.clients() + ")"),
                        Duration.ofSeconds(10)));
        try {
            response.setContentType("text/event-stream;charset=UTF-8");
            response.setHeader("Cache-Control", "no-store");
            response.setHeader(
                    "X-Accel-Buffering", "no"); // nginx and similar proxies must not buffer frames
            OutputStream out = response.getOutputStream();
            out.write(RETRY);
            response.flushBuffer();
            write(subscription, caller, response, out);
        } finally {
            hub.leave(subscription);
        }
    }

    private void write(
            Subscription subscription,
            Caller caller,
            HttpServletResponse response,
            OutputStream out)
            throws IOException, InterruptedException {
        long checkedAt = System.nanoTime();
        while (!subscription.ended()) {
            byte[] frame = subscription.next(settings.heartbeat());
            if (subscription.ended()) {
                return;
            }
            out.write(frame == null ? HEARTBEAT : frame);
            response.flushBuffer();
            if (System.nanoTime() - checkedAt > settings.heartbeat().toNanos()) {
                checkedAt = System.nanoTime();
                if (!stillAllowed(caller)) {
                    return;
                }
            }
        }
    }

    /**
     * Reports whether the session is still open. After a logout or a password change, a stream in
     * another tab must end, too.
     */
    private boolean stillAllowed(Caller caller) {
        Session session = caller.session();
        return session == null || sessions.runs(session);
    }

    private static Set<String> checked(List<String> topics) {
        for (String topic : topics) {
            boolean known = topic.equals("overview")
                    || topic.equals("changes")
                    || topic.equals("alerts")
                    || topic.equals("verifications")
                    || topic.equals("orders")
                    || (topic.startsWith("service:") && topic.length() > "service:".length());
            if (!known) {
                throw ProblemException.invalidField(
                        "topics",
                        topic,
                        "overview, changes, alerts, verifications, orders or service:ID");
            }
        }
        if (topics.isEmpty() || topics.size() > MOST_TOPICS) {
            throw ProblemException.invalidField(
                    "topics", topics.size() + " topics", "1 to " + MOST_TOPICS);
        }
        return new LinkedHashSet<>(topics);
    }
}
